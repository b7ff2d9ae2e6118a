"""Schemas: what a table is to be made of, and what a table is."""
from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _capsule
from ._core import Options, Texts, call, struct, utf8
from ._given import mapping, names, told
from ._native import ffi, lib
from .arrow import SchemaCapsule, take_schema
from .errors import InvalidError

__all__ = ["DataField", "Schema", "TableSchema"]


class DataField:
    """A column: its name and its type as Paimon writes it, ``DataField(0, "price", "DECIMAL(10, 2) NOT NULL")``.

    `type` is a text, or, for ROW, ARRAY, MAP and MULTISET in a schema's own form, the JSON object of it.
    """

    def __init__(self, id: int, name: str, type: Any, description: Optional[str] = None, default_value: Optional[str] = None) -> None:
        self.id = id
        self.name = name
        self.type = type
        self.description = description
        self.default_value = default_value

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {"id": self.id, "name": self.name, "type": self.type}
        if self.description is not None:
            made["description"] = self.description
        if self.default_value is not None:
            made["defaultValue"] = self.default_value
        return made

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "DataField":
        return DataField(data["id"], data["name"], data["type"], data.get("description"), data.get("defaultValue"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataField) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.id, self.name))

    def __repr__(self) -> str:
        return "DataField(%r, %r, %r)" % (self.id, self.name, self.type)


class Schema:
    """What a new table is to be.

    :param fields: DataFields, or pairs of name and type: ``[("id", "BIGINT NOT NULL"), ("tags", "ARRAY<STRING>")]``
    """

    def __init__(self, fields: Optional[Iterable[Union[DataField, tuple[str, str]]]] = None, partition_keys: Optional[Sequence[str]] = None,
                 primary_keys: Optional[Sequence[str]] = None, options: Optional[Mapping[str, Any]] = None, comment: Optional[str] = None) -> None:
        self.fields = _fields([] if fields is None else fields)
        self.partition_keys = [] if partition_keys is None else names(partition_keys, "partition_keys")
        self.primary_keys = [] if primary_keys is None else names(primary_keys, "primary_keys")
        self.options = {} if options is None else mapping(options, "options")
        self.comment = comment
        self._arrow: Optional[SchemaCapsule] = None

    @staticmethod
    def from_arrow(schema: Any, partition_keys: Optional[Sequence[str]] = None, primary_keys: Optional[Sequence[str]] = None,
                   options: Optional[Mapping[str, Any]] = None, comment: Optional[str] = None) -> "Schema":
        """Of anything with ``__arrow_c_schema__``: a schema of pyarrow or nanoarrow, a table, a scan, a batch."""
        made = Schema(None, partition_keys, primary_keys, options, comment)
        made._arrow = SchemaCapsule(take_schema(schema))
        return made

    @staticmethod
    def from_pyarrow_schema(pa_schema: Any, partition_keys: Optional[Sequence[str]] = None, primary_keys: Optional[Sequence[str]] = None,
                            options: Optional[Mapping[str, Any]] = None, comment: Optional[str] = None) -> "Schema":
        """The name that users of pypaimon know for from_arrow()."""
        return Schema.from_arrow(pa_schema, partition_keys, primary_keys, options, comment)

    def _definition(self) -> tuple[Any, list[Any]]:
        """A paimon_table_definition, and what it borrows."""
        definition = struct("paimon_table_definition")
        partition, primary, options = Texts(self.partition_keys), Texts(self.primary_keys), Options(self.options)
        held: list[Any] = [partition, primary, options]
        definition.partition_keys, definition.n_partition_keys = partition.pointer, partition.n
        definition.primary_keys, definition.n_primary_keys = primary.pointer, primary.n
        definition.options, definition.n_options = options.pointer, options.n
        if self.comment is not None:
            held.append(ffi.new("char[]", utf8(self.comment)))
            definition.comment = held[-1]
        if self._arrow is not None:
            held.append(self._arrow)
            definition.schema = self._arrow._schema
        elif self.fields:
            text = json.dumps({"fields": [f.to_dict() for f in self.fields]})
            held.append(ffi.new("char[]", utf8(text)))
            definition.schema_json = held[-1]
        else:
            raise InvalidError("a schema without columns")
        return definition, held


def _fields(given: Any) -> list[DataField]:
    if hasattr(given, "__arrow_c_schema__"):
        raise TypeError("fields are pairs of name and type, not %s: Schema.from_arrow() takes an Arrow schema" % told(given))
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise TypeError("fields are a list of pairs of name and type, such as [('id', 'BIGINT')], not %s" % told(given))
    made = []
    for position, field in enumerate(given):
        if isinstance(field, (tuple, list)) and len(field) == 2:
            field = DataField(position, field[0], field[1])
        if not isinstance(field, DataField):
            raise TypeError("a field is a DataField or a pair of name and type, such as ('id', 'BIGINT'), not %s" % (told(field)))
        if not isinstance(field.name, str):
            raise TypeError("the name of a field is a text, not %s" % told(field.name))
        if not isinstance(field.type, (str, Mapping)):
            raise TypeError("the type of field '%s' is a text such as 'BIGINT', not %s" % (field.name, told(field.type)))
        if field.default_value is not None and not isinstance(field.default_value, str):
            raise TypeError("the default value of field '%s' is a text, not %s" % (field.name, told(field.default_value)))
        made.append(field)
    return made


def as_schema(given: Any) -> Schema:
    if not isinstance(given, Schema):
        hint = ": to_schema() makes one of it" if isinstance(given, TableSchema) else ": Schema.from_arrow() makes one of it" \
            if hasattr(given, "__arrow_c_schema__") else ""
        raise TypeError("a paimon_c.Schema was expected, not %s%s" % (told(given), hint))
    return given


class TableSchema:
    """A table's schema at one moment, from its JSON."""

    def __init__(self, table: Any, text: str) -> None:
        self._table = table  # the C object
        self.json = text
        data = json.loads(text)
        self.id: int = data["id"]
        self.fields = [DataField.from_dict(f) for f in data["fields"]]
        self.highest_field_id: int = data.get("highestFieldId", 0)
        self.partition_keys: list[str] = data.get("partitionKeys") or []
        self.primary_keys: list[str] = data.get("primaryKeys") or []
        self.options: dict[str, str] = data.get("options") or {}
        self.comment: Optional[str] = data.get("comment")
        self.time_millis: Optional[int] = data.get("timeMillis")

    @property
    def names(self) -> list[str]:
        return [f.name for f in self.fields]

    def __arrow_c_schema__(self) -> object:
        capsule = _capsule.new_schema()
        call(lib.paimon_table_arrow_schema, self._table, ffi.cast("struct ArrowSchema *", _capsule.address(capsule, "arrow_schema")))
        return capsule

    def to_schema(self) -> Schema:
        """To make another table like it."""
        return Schema(self.fields, self.partition_keys, self.primary_keys, self.options, self.comment)

    def __repr__(self) -> str:
        return "<paimon_c.TableSchema %d: %s>" % (self.id, ", ".join("%s %s" % (f.name, f.type) for f in self.fields))
