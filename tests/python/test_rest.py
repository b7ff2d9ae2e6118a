"""Tables whose versions a REST catalog owns: our requests are Paimon Java's, and what we commit through the catalog is what Java and pypaimon read there."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import paimon_c
import pyarrow as pa
import pytest
from conftest import PROJECT
from rest_catalog import ReadingVersions, RestCatalog, RestVersions, send

sys.path.insert(0, os.path.join(PROJECT, "tests"))
import shared_material  # noqa: E402

# What Paimon Java 1.3 does not know; and what it writes without having anything to say, as newer versions do not.
NEWER = {"": {"baseSnapshotUuid"}, "snapshot": {"uuid", "writerVersion"}, "statistics": {"totalBuckets"}}
NOTHING = {"changelogManifestList": None, "changelogRecordCount": 0, "logOffsets": {}}
FIELDS = [("p", "INT"), ("v", "STRING")]


class Java:
    """RestJudge.java: Paimon Java 1.3.1 as a client of a REST catalog."""

    def __init__(self, libraries):
        self._process = subprocess.Popen(["java", "-XX:TieredStopAtLevel=1", "-cp", os.path.join(libraries, "*"), os.path.join(PROJECT, "tests", "interop", "RestJudge.java")],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def ask(self, what, **more):
        self._process.stdin.write(json.dumps(dict(more, do=what)) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["is"]

    def close(self):
        self._process.stdin.close()
        self._process.wait()


@pytest.fixture(scope="module")
def berlin():
    """Creation times of files are local times, and instants on the wire: not to be seen where both are UTC."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.fixture(scope="module")
def java(berlin):
    script = shared_material.find("oracle", "run.sh")
    if script is None or not shutil.which("java") or not shutil.which("mvn"):
        pytest.skip("Paimon Java is not here (needs shared/oracle, java and mvn)")
    build = os.environ.setdefault("ORACLE_BUILD", os.path.join(PROJECT, "build", "oracle"))
    os.makedirs(build, exist_ok=True)
    if subprocess.run([script, "version"], capture_output=True).returncode:
        pytest.skip("the oracle cannot be built")
    judge = Java(os.path.join(build, "lib"))
    yield judge
    judge.close()


@pytest.fixture
def rest():
    server = RestCatalog()
    yield server
    server.close()


@pytest.fixture
def make(rest, tmp_path):
    """make("t") -> a table of the catalog, opened with its versions."""

    def made(name="t", fields=FIELDS, partition_keys=("p",), versions=RestVersions, branch=None):
        path = tmp_path / name
        if name not in rest.tables:
            paimon_c.create_table(path, paimon_c.Schema(fields, partition_keys=list(partition_keys), options={"file.format": "parquet", "dynamic-partition-overwrite": False}))
            rest.add(name, path)
            shutil.copytree(path / "schema", path / "branch" / "branch-dev" / "schema")
        return paimon_c.open_table(path, {"branch": branch} if branch else None, versions=versions(rest.uri, name), table_id="id-of-" + name)

    return made


def rows_of(table):
    return sorted([tuple(row.values()) for row in table.to_pylist()], key=str)


def rows(n, p=1, tag="r"):
    return pa.table({"p": pa.array([p] * n, pa.int32()), "v": ["%s%d" % (tag, i) for i in range(n)]})


def manifests(table):
    return {os.path.basename(f) for f in glob.glob(os.path.join(table.path, "manifest", "*"))}


# ---- the request is Java's ----


def without_newer(request):
    """As one who knows only 1.3 has it; members in their order."""

    def kept(mapping, unknown):
        return {k: v for k, v in mapping.items() if k not in unknown}

    request = kept(request, NEWER[""])
    request["snapshot"] = kept(request["snapshot"], NEWER["snapshot"])
    request["statistics"] = [kept(s, NEWER["statistics"]) for s in request["statistics"]]
    return request


def differing(one, other, path=""):
    """Where two JSON values differ, to be read in one line."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {k: v for key in {**one, **other} for k, v in differing(one.get(key), other.get(key), path + "." + key).items()}
    return {} if one == other and isinstance(one, bool) == isinstance(other, bool) else {path: (one, other)}


def comparable(request, java_itself=False):
    """Without names and times, which no two commits share."""
    request = without_newer(request)
    own = {"timeMillis"} | {a + "ManifestList" + b for a in ("base", "delta") for b in ("", "Size")}
    assert own <= set(request["snapshot"])
    request["snapshot"] = {k: v for k, v in request["snapshot"].items() if k not in own and not (java_itself and (k, v) in NOTHING.items())}
    request["statistics"] = sorted(request["statistics"], key=lambda s: json.dumps(s["spec"]))
    return request


CASES = {  # name -> rows written, and how they are committed; one after the other
    "append": dict(rows=[[1, "a"], [2, "ä\"\\\n"], [1, "b"]]),
    "empty": dict(rows=[]),
    "watermark": dict(rows=[[1, "c"]], identifier=7, watermark=1234567890123),
    "properties": dict(rows=[[None, "d"]], identifier=8, properties={"k": "v", "ü\"": "\\ \n"}),
    "overwrite": dict(rows=[[1, "e"]], overwrite={"p": "1"}),
    "overwrite with nothing": dict(rows=[], overwrite={"p": "2"}),
    "back": dict(rows=[[2, "f"]], identifier=9, watermark=5),
}


def our_request(table, messages, case):
    """Prepared by us, from Java's messages."""
    messages = paimon_c.CommitMessage.list_from_bytes(bytes.fromhex(messages), 10)
    if "identifier" in case:
        commit = table.new_stream_write_builder().with_commit_user("me").with_prepare_only().new_commit()
        with commit:
            commit.commit(messages, case["identifier"], case.get("properties"), case.get("watermark"))
            return commit.object_name, commit.last_table_request()
    builder = table.new_batch_write_builder().with_commit_user("me").with_prepare_only()
    if "overwrite" in case:
        builder.overwrite(case["overwrite"])
    with builder.new_commit() as commit:
        commit._send(messages, paimon_c.BATCH_COMMIT, None, None, ignore_empty=False)
        return commit.object_name, commit.last_table_request()


def held_against_java(rest, java, ours, theirs, branch, cases):
    """`ours` and `theirs` are tables of the same content; each commits the same messages in its way."""
    suffix = "$branch_" + branch if branch else ""
    for name, case in cases.items():
        messages = java.ask("write", uri=rest.uri, table="ours" + suffix, rows=case["rows"])
        shutil.copytree(ours.path, theirs.path, dirs_exist_ok=True)
        object_name, request = our_request(ours, messages, case)
        assert object_name == "ours" + suffix
        again = json.loads(java.ask("again", json=request))
        expected = without_newer(json.loads(request))
        assert differing(again, expected) == {}, name
        again["snapshot"] = {k: v for k, v in again["snapshot"].items() if v is not None}
        assert [list(again), list(again["snapshot"])] == [list(expected), list(expected["snapshot"])], name  # the members' order, too
        assert send(rest.uri, object_name, request), name
        java.ask("commit", uri=rest.uri, table="theirs" + suffix, messages=messages, user="me", identifier=case.get("identifier", paimon_c.BATCH_COMMIT),
                 watermark=case.get("watermark"), properties=case.get("properties", {}), overwrite=case.get("overwrite"))
        sent_to, body = rest.requests[-1]
        assert sent_to == "theirs" + suffix
        made_by_java = comparable(json.loads(body), java_itself=True)
        made_by_java["tableId"] = "id-of-ours"
        assert differing(comparable(json.loads(request)), made_by_java) == {}, name
        for table in ("ours", "theirs"):
            assert sorted(java.ask("read", uri=rest.uri, table=table + suffix), key=str) == sorted(map(list, rows_of(ours)), key=str), name
    assert len(rest.snapshots("ours" + suffix)) == len(cases)


@pytest.mark.parametrize("branch", [None, "dev"])
def test_our_requests_are_those_that_java_makes_and_it_loses_nothing_of_them(rest, make, java, branch):
    ours, theirs = (make(name, versions=ReadingVersions, branch=branch) for name in ("ours", "theirs"))
    cases = CASES if branch is None else {name: CASES[name] for name in ("append", "overwrite")}
    held_against_java(rest, java, ours, theirs, branch, cases)
    assert len(rows_of(ours)) == (3 if branch is None else 2)


def test_partitions_of_other_types_are_named_as_java_names_them(rest, make, java):
    fields = [("d", "DATE"), ("b", "BOOLEAN"), ("s", "STRING"), ("v", "INT")]
    ours, theirs = (make(name, fields, ("d", "b", "s"), versions=ReadingVersions) for name in ("ours", "theirs"))
    java_rows = [["2024-02-29", True, "a b", 1], ["1969-07-20", False, "ä/=%", 2], [None, None, None, 3], ["2024-02-29", True, "a b", 4]]
    cases = {"written": dict(rows=java_rows), "replaced": dict(rows=java_rows[:1], overwrite={"b": "true"})}
    for name, case in cases.items():
        messages = java.ask("write", uri=rest.uri, table="ours", rows=case["rows"])
        shutil.copytree(ours.path, theirs.path, dirs_exist_ok=True)
        object_name, request = our_request(ours, messages, case)
        assert send(rest.uri, object_name, request)
        java.ask("commit", uri=rest.uri, table="theirs", messages=messages, user="me", identifier=paimon_c.BATCH_COMMIT, watermark=None, properties={},
                 overwrite=case.get("overwrite"))
        made_by_java = comparable(json.loads(rest.requests[-1][1]), java_itself=True)
        assert comparable(json.loads(request))["statistics"] == made_by_java["statistics"], name
        assert len(made_by_java["statistics"]) == (3 if name == "written" else 1)


def test_pypaimon_knows_every_member_of_a_request(make):
    request_class = pytest.importorskip("pypaimon.api.api_request").CommitTableRequest
    json_util = pytest.importorskip("pypaimon.common.json_util").JSON
    table = make(versions=ReadingVersions)
    stream = table.new_stream_write_builder().with_prepare_only()
    with stream.new_write() as write, stream.new_commit() as commit:
        write.write_arrow(rows(3))
        commit.commit(write.prepare_commit(1), 1, {"k": "v"}, 99)
        request = commit.last_table_request()
        assert send(table._owner.versions.uri, commit.object_name, request)
        commit.commit([], 2)
        for body in (request, commit.last_table_request()):
            assert json.loads(json_util.to_json(json_util.from_json(body, request_class))) == json.loads(body)


def test_pypaimon_reads_from_the_catalog_what_we_committed(rest, make):
    factory = pytest.importorskip("pypaimon").CatalogFactory
    make().write(rows(5))
    make().write(rows(5, p=2))
    theirs = factory.create({"metastore": "rest", "uri": rest.uri, "warehouse": "wh", "token.provider": "bear", "token": "none"}).get_table("db.t")
    builder = theirs.new_read_builder()
    assert builder.new_read().to_arrow(builder.new_scan().plan().splits()).num_rows == 10


# ---- committing ----


def prepared(table, data, send_it, identifier=1, user="me"):
    """The caller's loop: prepare, send, and again while it lost. Gives how often it was sent."""
    stream = table.new_stream_write_builder().with_commit_user(user).with_prepare_only()
    with stream.new_write() as write, stream.new_commit() as commit:
        write.write_arrow(data)
        messages = write.prepare_commit(identifier)
        for attempt in range(1, 10):
            commit.commit(messages, identifier)
            if send_it(commit.object_name, commit.last_table_request()):
                return attempt
            commit.discard_prepared()
    raise AssertionError("never won")


def test_a_prepared_commit_goes_to_the_url_of_its_branch(rest, make, java):
    main, dev = make(versions=ReadingVersions), make(versions=ReadingVersions, branch="dev")
    assert prepared(main, rows(3), lambda *a: send(rest.uri, *a)) == 1
    assert prepared(dev, rows(2, tag="dev"), lambda *a: send(rest.uri, *a)) == 1
    assert [name for name, _ in rest.requests] == ["t", "t$branch_dev"]
    assert rows_of(main) == [(1, "r0"), (1, "r1"), (1, "r2")] and rows_of(dev) == [(1, "dev0"), (1, "dev1")]
    assert sorted(java.ask("read", uri=rest.uri, table="t$branch_dev")) == [[1, "dev0"], [1, "dev1"]]
    assert not os.path.exists(os.path.join(main.path, "snapshot"))  # only the catalog knows


def test_snapshot_files_of_the_catalog_are_enough_to_prepare_from(tmp_path):
    server = RestCatalog(with_files=True)
    try:
        paimon_c.create_table(tmp_path / "t", paimon_c.Schema(FIELDS))
        server.add("t", tmp_path / "t")
        for i in range(3):
            prepared(paimon_c.open_table(tmp_path / "t", table_id="id-of-t"), rows(2), lambda *a: send(server.uri, *a), identifier=i)
        assert paimon_c.open_table(tmp_path / "t").scan().count() == 6
    finally:
        server.close()


def test_who_is_told_that_another_was_first_prepares_anew(rest, make):
    table, rival = make(versions=ReadingVersions), make()

    def send_after_the_rival(object_name, request):
        if len(rest.requests) == 0:
            rival.write(rows(4, p=2))
        return send(rest.uri, object_name, request)

    assert prepared(table, rows(3), send_after_the_rival) == 2
    assert rest.lost == 1 and len(rows_of(table)) == 7 and [s.id for s in table.snapshots()] == [1, 2]
    snapshot_manifests = manifests(table)
    prepared(table, rows(1), lambda *a: send(rest.uri, *a), identifier=2)
    assert len(manifests(table) - snapshot_manifests) == 3  # and so many were there a commit: the lost one's are gone
    assert len(snapshot_manifests) == 6


def test_we_and_java_commit_on_top_of_each_other(rest, make, java):
    table = make()
    for i in range(3):
        table.write(rows(2, tag="ours%d." % i))
        messages = java.ask("write", uri=rest.uri, table="t", rows=[[1, "java%d" % i]])
        java.ask("commit", uri=rest.uri, table="t", messages=messages, user="java", identifier=i, watermark=None, properties={}, overwrite=None)
    expected = sorted([(1, "ours%d.%d" % (i, k)) for i in range(3) for k in range(2)] + [(1, "java%d" % i) for i in range(3)])
    assert sorted(rows_of(table)) == sorted(map(tuple, java.ask("read", uri=rest.uri, table="t"))) == expected
    assert [s["commitUser"] == "java" for s in rest.snapshots("t")] == [False, True] * 3


def test_committers_race_through_the_catalog_and_lose_nothing(rest, make, java):
    make()

    def commit(number):
        table = make()
        for i in range(5):
            table.write(rows(2, p=number, tag="w%d.%d." % (number, i)))

    threads = [threading.Thread(target=commit, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    expected = sorted((n, "w%d.%d.%d" % (n, i, k)) for n in range(4) for i in range(5) for k in range(2))
    assert sorted(rows_of(make())) == expected
    assert sorted(map(tuple, java.ask("read", uri=rest.uri, table="t"))) == expected
    assert len(rest.snapshots("t")) == 20 and rest.lost > 0
    bases = [json.loads(body)["baseSnapshotUuid"] for _, body in rest.requests]
    assert set(s["uuid"] for s in rest.snapshots("t")[:-1]) <= set(bases)


def test_a_lost_answer_is_read_back_and_counts_once(rest, make):
    table = make()
    table.write(rows(1))
    rest.faults = ["answer lost"]
    result = table.write(rows(2, tag="lost"))
    assert (result.snapshot_id, result.snapshots, result.attempts) == (2, 1, 1)
    assert len(rest.requests) == 2 and len(rows_of(table)) == 3


def test_a_lost_request_is_sent_again_and_when_all_are_lost_the_error_says_so(rest, make):
    table = make()
    rest.faults = ["request lost"]
    assert table.write(rows(1, tag="first")).attempts == 2
    table = table.copy({"commit.max-retries": 1})
    stream = table.new_stream_write_builder().with_commit_user("me")
    rest.faults = ["request lost"] * 2
    with stream.new_write() as write, stream.new_commit() as commit:
        write.write_arrow(rows(2))
        messages = write.prepare_commit(1)
        with pytest.raises(paimon_c.StorageError, match="unknown"):
            commit.commit(messages, 1)
        with pytest.raises(paimon_c.StateError):
            commit.abort(messages)  # nobody knows whether a snapshot needs the files
        (again,) = commit.filter_and_commit({1: messages})
        assert not again.already_committed and again.snapshot_id == 2
        (again,) = commit.filter_and_commit({1: messages})
        assert again.already_committed
    assert len(rows_of(table)) == 3


@pytest.mark.parametrize("fault,times", [("answer lost", 1), ("request lost", 2)])
def test_who_sends_itself_asks_the_table_after_an_unclear_answer(rest, make, fault, times):
    table = make(versions=ReadingVersions)
    stream = table.new_stream_write_builder().with_commit_user("me").with_prepare_only()
    rest.faults = [fault]
    with stream.new_write() as write, stream.new_commit() as commit:
        write.write_arrow(rows(2))
        messages = write.prepare_commit(1)
        commit.commit(messages, 1)
        with pytest.raises(OSError):
            send(rest.uri, commit.object_name, commit.last_table_request())
        (told,) = commit.filter_and_commit({1: messages})
        assert told.already_committed == (fault == "answer lost")
        assert len(commit.table_requests()) == times - 1
        for request in commit.table_requests():
            assert send(rest.uri, commit.object_name, request)
    assert len(rest.requests) == times and len(rows_of(table)) == 2


def test_a_refusal_fails_the_commit_with_its_cause_and_leaves_nothing(rest, make):
    table = make()
    rest.faults = ["forbidden"]
    with table.new_batch_write_builder().new_write() as write, table.new_batch_write_builder().new_commit() as commit:
        write.write_arrow(rows(2))
        messages = write.prepare_commit()
        with pytest.raises(paimon_c.StateError, match="forbids") as raised:
            commit.commit(messages)
        assert isinstance(raised.value.__cause__, paimon_c.StateError)
        assert manifests(table) == set()
        commit.abort(messages)
    rest.faults = ["forbidden"]
    with pytest.raises(paimon_c.StateError, match="forbids"):
        table.write(rows(2))
    assert glob.glob(os.path.join(table.path, "**", "data-*"), recursive=True) == []
    assert table.to_pylist() == [] and table.snapshot_ids() == []


# ---- the interface to Python ----


class Memory:
    """The least that versions are."""

    def __init__(self):
        self.texts = []

    def latest_snapshot(self, branch):
        return self.texts[-1] if self.texts else None

    def publish(self, publication):
        self.texts.append(publication.snapshot)
        return True


@pytest.fixture
def folder(tmp_path):
    paimon_c.create_table(tmp_path / "m", paimon_c.Schema(FIELDS))
    return tmp_path / "m"


def test_a_publication_tells_everything(folder):
    told = []

    class Told(Memory):
        def publish(self, publication):
            told.append(publication)
            return super().publish(publication)

    table = paimon_c.open_table(folder, versions=Told(), table_id="7")
    table.write(rows(2))
    table.write(rows(1))
    first, second = told
    assert (first.branch, first.snapshot_id, first.base_snapshot_uuid) == ("main", 1, None)
    assert second.base_snapshot_uuid == json.loads(first.snapshot)["uuid"]
    assert json.loads(second.request) == {"tableId": "7", "baseSnapshotUuid": second.base_snapshot_uuid, "snapshot": json.loads(second.snapshot),
                                          "statistics": json.loads(second.statistics)}
    assert json.loads(second.statistics)[0]["recordCount"] == 1


def test_answers_are_text_bytes_or_mappings_and_nothing_else(folder):
    for form in (str, str.encode, json.loads):
        class Formed(Memory):
            def latest_snapshot(self, branch):
                text = super().latest_snapshot(branch)
                return None if text is None else form(text)

        table = paimon_c.open_table(folder, versions=Formed())
        table.write(rows(2))
        assert table.scan().count() == 2

    class Wrong(Memory):
        def latest_snapshot(self, branch):
            return 5

    with pytest.raises(paimon_c.PaimonError, match="JSON text or a mapping") as raised:
        paimon_c.open_table(folder, versions=Wrong()).scan().count()
    assert isinstance(raised.value.__cause__, TypeError)
    with pytest.raises(TypeError):
        paimon_c.open_table(folder, versions=object())


def test_an_answer_that_is_no_truth_value_does_not_count_as_yes(folder):
    """{"success": False} is true in Python."""

    class Careless(Memory):
        def publish(self, publication):
            return {"success": False}

    table = paimon_c.open_table(folder, {"commit.max-retries": 0}, versions=Careless())
    with pytest.raises(paimon_c.StorageError, match="unknown"):
        table.write(rows(2))


def test_what_a_client_raises_is_the_cause_of_what_the_caller_gets(folder):
    class Broken(Memory):
        def latest_snapshot(self, branch):
            raise ConnectionError("no route")

    with pytest.raises(paimon_c.StorageError, match="no route") as raised:
        paimon_c.open_table(folder, versions=Broken()).latest_snapshot()
    assert isinstance(raised.value.__cause__, ConnectionError)


@pytest.mark.parametrize("during", ["latest_snapshot", "publish"])
def test_ctrl_c_ends_a_commit_and_the_way_back_tells_whether_it_was_made(folder, during):
    class Interrupted(Memory):
        now = None

        def latest_snapshot(self, branch):
            self.interrupt("latest_snapshot")
            return super().latest_snapshot(branch)

        def publish(self, publication):
            super().publish(publication)
            self.interrupt("publish")
            return True

        def interrupt(self, where):
            if self.now == where:
                self.now = None
                os.kill(os.getpid(), signal.SIGINT)

    versions = Interrupted()
    table = paimon_c.open_table(folder, versions=versions)
    stream = table.new_stream_write_builder()
    with stream.new_write() as write, stream.new_commit() as commit:
        write.write_arrow(rows(2))
        messages = write.prepare_commit(1)
        versions.now = during
        with pytest.raises(KeyboardInterrupt):
            commit.commit(messages, 1)
        (told,) = commit.filter_and_commit({1: messages})
        assert told.already_committed == (during == "publish")
    assert table.scan().count() == 2


def test_a_schema_may_come_from_the_catalog_alone(folder):
    schema = paimon_c.open_table(folder).schema().json
    shutil.rmtree(folder / "schema")
    asked = []

    class Whole(Memory):
        def schema(self, branch, schema_id):
            asked.append(schema_id)
            return schema

    table = paimon_c.open_table(folder, versions=Whole())
    table.write(rows(3))
    assert table.scan().count() == 3 and None in asked


def test_versions_go_along_with_copies_and_are_let_go_of_in_the_end(folder):
    import gc
    import weakref

    versions = Memory()
    table = paimon_c.open_table(folder, versions=versions)
    table.write(rows(3))
    assert table.refresh().scan().count() == 3 and table.copy({"scan.snapshot-id": 1}).scan().count() == 3
    held = weakref.ref(versions)
    del versions, table
    gc.collect()
    assert held() is None


def test_workers_write_and_the_coordinator_commits_through_the_catalog(rest, make):
    import paimon_c.tasks

    job = paimon_c.tasks.WriteJob(make(), commit_user="me", commit_identifier=1)
    written = [job.task.write(rows(2, p=n)) for n in range(3)]
    rest.faults = ["answer lost"]
    assert job.commit(written).snapshot_id == 1 and job.commit(written).already_committed
    assert sum(len(task.to_pylist()) for task in paimon_c.tasks.plan_read(make(), 2)) == 6 and len(rest.requests) == 1


class Elsewhere(Memory):
    """One that pickles."""


def test_a_table_takes_its_versions_along_when_it_is_pickled(folder):
    import pickle

    table = paimon_c.open_table(folder, versions=Elsewhere())
    table.write(rows(3))
    assert pickle.loads(pickle.dumps(table)).scan().count() == 3


def test_what_is_prepared_belongs_to_the_last_call(folder):
    table = paimon_c.open_table(folder)
    stream = table.new_stream_write_builder().with_prepare_only()
    with stream.new_write() as write, stream.new_commit() as commit:
        with pytest.raises(paimon_c.StateError):
            commit.last_table_request()
        write.write_arrow(rows(1))
        commit.commit(write.prepare_commit(1), 1)
        assert commit.table_requests("other") == [commit.last_table_request("other")]
        assert json.loads(commit.last_table_request("other"))["tableId"] == "other" and json.loads(commit.last_table_request())["tableId"] is None
        with pytest.raises(paimon_c.InvalidError, match="one identifier"):
            commit.filter_and_commit({2: [], 3: []})
        commit.discard_prepared()
        assert commit.table_requests() == [] and manifests(table) == set()
    assert table.latest_snapshot() is None
