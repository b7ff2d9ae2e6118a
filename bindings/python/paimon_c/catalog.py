"""Catalogs: databases and tables under a warehouse folder."""
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from ._core import Options, call, text, utf8
from ._given import mapping, name as given_name, option_text, told
from ._native import ffi, lib
from .environment import Environment, environment_of
from .errors import AlreadyExistsError, InvalidError, NotFoundError, UnsupportedError
from .schema import Schema, as_schema
from .table import Table
from .write import CommitResult

__all__ = ["Catalog", "CatalogFactory", "Database", "Identifier", "SchemaChange", "SetOption", "RemoveOption"]


class Identifier:
    """A table's name: a database and what is in it, optionally a branch."""

    def __init__(self, database: str, object: str, branch: Optional[str] = None) -> None:
        self.database, self.object = given_name(database, "a database's name"), given_name(object, "a table's name")
        self.branch = None if branch is None else given_name(branch, "a branch's name")

    @classmethod
    def create(cls, database: str, table: str, branch: Optional[str] = None) -> "Identifier":
        return cls(database, table, branch)

    @classmethod
    def from_string(cls, full_name: str) -> "Identifier":
        """Of "db.table" or "db.table$branch_b"."""
        if not isinstance(full_name, str):
            raise TypeError("a table's identifier is an Identifier or a text database.table, not %s" % told(full_name))
        database, dot, table = full_name.partition(".")
        if not dot or not database or not table:
            raise InvalidError("a table's identifier is database.table, not '%s'" % full_name)
        table, found, branch = table.partition("$branch_")
        return cls(database, table, branch if found else None)

    def get_full_name(self) -> str:
        return str(self)

    def get_database_name(self) -> str:
        return self.database

    def get_table_name(self) -> str:
        return self.object

    def get_branch_name(self) -> Optional[str]:
        return self.branch

    def __str__(self) -> str:
        return "%s.%s%s" % (self.database, self.object, "$branch_" + self.branch if self.branch else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identifier) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return "Identifier.from_string(%r)" % str(self)


IdentifierLike = Union[str, Identifier]


def _identifier(value: IdentifierLike) -> Identifier:
    return value if isinstance(value, Identifier) else Identifier.from_string(value)


def _whole_table(value: IdentifierLike, what: str) -> Identifier:
    """What happens to a branch is not to happen to its table."""
    identifier = _identifier(value)
    if identifier.branch:
        raise UnsupportedError("%s a branch is not supported yet: %s" % (what, identifier))
    return identifier


class Database(NamedTuple):
    name: str
    options: dict[str, str]
    comment: Optional[str] = None


class SetOption(NamedTuple):
    key: str
    value: str


class RemoveOption(NamedTuple):
    key: str


class SchemaChange:
    """Changes for Catalog.alter_table(); others are not supported yet."""

    @staticmethod
    def set_option(key: str, value: str) -> SetOption:
        return SetOption(given_name(key, "an option's key"), option_text(value, "option '%s'" % key))

    @staticmethod
    def remove_option(key: str) -> RemoveOption:
        return RemoveOption(given_name(key, "an option's key"))


class Catalog:
    """The filesystem catalog of a warehouse folder: ``<warehouse>/<database>.db/<table>``.

    :param options: catalog options ("metastore", …)
    """

    def __init__(self, warehouse: Union[str, "os.PathLike[str]"], options: Optional[Mapping[str, Any]] = None, *,
                 environment: Optional[Environment] = None) -> None:
        self.warehouse = utf8(warehouse).decode("utf-8", "surrogateescape")
        self._environment = environment_of(environment)
        pairs = Options(options)
        out = ffi.new("paimon_catalog **")
        call(lib.paimon_catalog_open, self._environment._env, utf8(self.warehouse), pairs.pointer, pairs.n, out)
        self._catalog: Any = ffi.gc(out[0], lib.paimon_catalog_free)

    # ---- databases ----

    def list_databases(self) -> list[str]:
        return self._names(lib.paimon_catalog_list_databases)

    def get_database(self, name: str) -> Database:
        if not self._exists(lib.paimon_catalog_database_exists, utf8(name)):
            raise NotFoundError("there is no database '%s'" % name)
        return Database(name, {})

    def create_database(self, name: str, ignore_if_exists: bool = False, properties: Optional[Mapping[str, str]] = None) -> None:
        if properties:
            raise UnsupportedError("properties of a database are not supported by a filesystem catalog")
        call(lib.paimon_catalog_create_database, self._catalog, utf8(name), ignore_if_exists)

    def drop_database(self, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        call(lib.paimon_catalog_drop_database, self._catalog, utf8(name), ignore_if_not_exists, cascade)

    # ---- tables ----

    def list_tables(self, database_name: str) -> list[str]:
        return self._names(lib.paimon_catalog_list_tables, utf8(database_name))

    def table_exists(self, identifier: IdentifierLike) -> bool:
        name = _identifier(identifier)
        if name.branch:
            try:
                self.get_table(name)
            except NotFoundError:
                return False
            return True
        return self._exists(lib.paimon_catalog_table_exists, utf8(name.database), utf8(name.object))

    def get_table(self, identifier: IdentifierLike, options: Optional[Mapping[str, Any]] = None) -> Table:
        """Open a table, with dynamic options."""
        name, pairs = _identifier(identifier), Options(options)
        out = ffi.new("paimon_table **")
        call(lib.paimon_catalog_open_table, self._catalog, utf8(str(name)), pairs.pointer, pairs.n, out)
        location = text(lib.paimon_table_path(out[0])) or ""
        if name.branch:
            location += "$branch_" + name.branch
        return Table(out[0], location, options or {}, self._environment, name)

    def create_table(self, identifier: IdentifierLike, schema: Schema, ignore_if_exists: bool = False) -> None:
        name = _whole_table(identifier, "creating")
        definition, held = as_schema(schema)._definition()
        try:
            call(lib.paimon_catalog_create_table, self._catalog, utf8(name.database), utf8(name.object), definition)
        except AlreadyExistsError:
            if not ignore_if_exists:
                raise
        del held

    def drop_table(self, identifier: IdentifierLike, ignore_if_not_exists: bool = False) -> None:
        name = _whole_table(identifier, "dropping")
        call(lib.paimon_catalog_drop_table, self._catalog, utf8(name.database), utf8(name.object), ignore_if_not_exists)

    def rename_table(self, source_identifier: IdentifierLike, target_identifier: IdentifierLike) -> None:
        source, target = _whole_table(source_identifier, "renaming"), _whole_table(target_identifier, "renaming to")
        call(lib.paimon_catalog_rename_table, self._catalog, utf8(source.database), utf8(source.object), utf8(target.database), utf8(target.object))

    def alter_table(self, identifier: IdentifierLike, changes: Sequence[Union[SetOption, RemoveOption]], ignore_if_not_exists: bool = False) -> None:
        """Set and unset options: one new schema version."""
        pairs: dict[str, Optional[str]] = {}
        if isinstance(changes, (SetOption, RemoveOption, str, Mapping)) or not hasattr(changes, "__iter__"):
            raise TypeError("changes are a list of what SchemaChange makes, not %s" % told(changes))
        for change in changes:
            if isinstance(change, SetOption):
                pairs[change.key] = option_text(change.value, "option '%s'" % change.key)
            elif isinstance(change, RemoveOption):
                pairs[change.key] = None
            else:
                raise UnsupportedError("changing a table by %s is not supported yet" % type(change).__name__)
        try:
            table = self.get_table(identifier)
        except NotFoundError:
            if ignore_if_not_exists:
                return
            raise
        table.set_options(pairs)

    def drop_partitions(self, identifier: IdentifierLike, partitions: Sequence[Mapping[str, Any]]) -> CommitResult:
        return self.get_table(identifier).drop_partitions(partitions)

    # ---- the library's lists ----

    def _names(self, function: Any, *args: Any) -> list[str]:
        out = ffi.new("paimon_string_list **")
        call(function, self._catalog, *args, out)
        try:
            return [text(lib.paimon_string_list_get(out[0], i)) or "" for i in range(lib.paimon_string_list_size(out[0]))]
        finally:
            lib.paimon_string_list_free(out[0])

    def _exists(self, function: Any, *args: Any) -> bool:
        out = ffi.new("bool *")
        call(function, self._catalog, *args, out)
        return bool(out[0])

    def __repr__(self) -> str:
        return "<paimon_c.Catalog %s>" % self.warehouse


class CatalogFactory:
    @staticmethod
    def create(catalog_options: Mapping[str, Any], environment: Optional[Environment] = None) -> Catalog:
        """Of options: "warehouse", and "metastore" ("filesystem")."""
        options = mapping(catalog_options, "catalog_options")
        warehouse = options.pop("warehouse", None)
        if not warehouse:
            raise InvalidError("a catalog needs the option 'warehouse'")
        return Catalog(warehouse, options, environment=environment)
