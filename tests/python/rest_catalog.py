"""A small REST catalog for the tests: it owns the versions of its tables, and can be made to misbehave as servers and networks do. And a client."""
import http.server
import json
import os
import re
import threading
import urllib.error
import urllib.parse
import urllib.request

TABLE = re.compile(r"/v1/p/databases/db/tables/([^/]+)(?:/(snapshot|commit|snapshots/(\d+)))?$")


class ServedTable:
    def __init__(self, path, identity):
        self.path, self.id = str(path), identity
        self.snapshots = {}  # branch -> list of dicts


class RestCatalog:
    """Serves tables of database "db" at `uri`.

    `faults`: what befalls the next commits: "answer lost" (published), "request lost" (not published), "forbidden"
    `with_files`: published snapshots are files in the table's folder, too
    """

    def __init__(self, with_files=False):
        self.tables, self.faults, self.requests, self.with_files = {}, [], [], with_files
        self.lost = 0  # commits that came second
        self._lock = threading.Lock()
        catalog = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(catalog.get(urllib.parse.urlsplit(self.path).path))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(catalog.post(self.path, body))

            def answer(self, answer):
                if answer is None:  # the connection dies
                    self.close_connection = True
                    return
                status, body = answer
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.uri = "http://127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def add(self, name, path):
        self.tables[name] = ServedTable(path, "id-of-" + name)
        return self.tables[name]

    def snapshots(self, object_name):
        """Of a table, or of a branch of it: `t$branch_dev`."""
        name, _, branch = object_name.partition("$branch_")
        return self.tables[name].snapshots.setdefault(branch or "main", [])

    def get(self, path):
        if path == "/v1/config":
            return 200, {"defaults": {}, "overrides": {"prefix": "p"}}
        if path == "/v1/p/databases/db":
            return 200, {"id": "db", "name": "db", "location": "/", "options": {}}
        found = TABLE.match(urllib.parse.unquote(path))
        name = found.group(1).partition("$")[0] if found else ""
        if name not in self.tables:
            return missing("TABLE", path)
        if found.group(2) is None:
            return 200, self.described(found.group(1))
        snapshots = self.snapshots(found.group(1))
        wanted = [s for s in snapshots if found.group(3) is None or s["id"] == int(found.group(3))][-1:]
        if not wanted:
            return missing("SNAPSHOT", found.group(1))
        return 200, {"snapshot": {"snapshot": wanted[0], "recordCount": wanted[0]["totalRecordCount"], "fileSizeInBytes": 0, "fileCount": 0,
                                  "lastFileCreationTime": 0} if found.group(3) is None else wanted[0]}

    def described(self, object_name):
        name, _, branch = object_name.partition("$branch_")
        table = self.tables[name]
        with open(os.path.join(self.branch_folder(object_name), "schema", "schema-0"), encoding="utf-8") as f:
            schema = json.load(f)
        options = dict(schema["options"], path=table.path, **({"branch": branch} if branch else {}))
        return {"id": table.id, "name": object_name, "path": table.path, "isExternal": False, "schemaId": 0, "owner": "o", "createdAt": 0, "createdBy": "o",
                "updatedAt": 0, "updatedBy": "o",
                "schema": {"fields": schema["fields"], "partitionKeys": schema["partitionKeys"], "primaryKeys": schema["primaryKeys"], "options": options,
                           "comment": schema.get("comment")}}

    def branch_folder(self, object_name):
        name, _, branch = object_name.partition("$branch_")
        return os.path.join(self.tables[name].path, *(["branch", "branch-" + branch] if branch else []))

    def post(self, path, body):
        found = TABLE.match(urllib.parse.unquote(path))
        request = json.loads(body)
        with self._lock:
            fault = self.faults.pop(0) if self.faults else None
            self.requests.append((found.group(1), body))
            if fault == "forbidden":
                return 403, {"message": "not yours", "resourceType": "TABLE", "resourceName": found.group(1), "code": 403}
            if fault == "request lost":
                return None
            success = self.publish(found.group(1), request)
            return None if fault == "answer lost" else (200, {"success": success})

    def publish(self, object_name, request):
        assert request["tableId"] == self.tables[object_name.partition("$")[0]].id
        snapshots, snapshot = self.snapshots(object_name), request["snapshot"]
        base = snapshots[-1].get("uuid") if snapshots else None
        # Java 1.3 names no base.
        if snapshot["id"] != len(snapshots) + 1 or request.get("baseSnapshotUuid", base) != base:
            self.lost += 1
            return False
        snapshots.append(snapshot)
        if self.with_files:
            folder = os.path.join(self.branch_folder(object_name), "snapshot")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "snapshot-%d" % snapshot["id"]), "w", encoding="utf-8") as f:
                json.dump(snapshot, f)
        return True


def missing(kind, name):
    return 404, {"message": "not here", "resourceType": kind, "resourceName": name, "code": 404}


# ---- a client, as an embedder would write one ----


def send(uri, object_name, body):
    """Send a commit: whether it won. Raises OSError where there was no answer."""
    request = urllib.request.Request("%s/v1/p/databases/db/tables/%s/commit" % (uri, urllib.parse.quote(object_name)), body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["success"]


class ReadingVersions:
    """Versions to read; commits of it can only be prepared."""

    def __init__(self, uri, table):
        self.uri, self.table = uri, table

    def object_name(self, branch):
        return self.table if branch == "main" else "%s$branch_%s" % (self.table, branch)

    def _get(self, branch, what):
        try:
            with urllib.request.urlopen("%s/v1/p/databases/db/tables/%s/%s" % (self.uri, urllib.parse.quote(self.object_name(branch)), what), timeout=10) as answer:
                return json.load(answer)["snapshot"]
        except urllib.error.HTTPError as e:
            if e.code == 404:
                return None
            raise

    def latest_snapshot(self, branch):
        answer = self._get(branch, "snapshot")
        return answer and answer["snapshot"]

    def snapshot(self, branch, snapshot_id):
        return self._get(branch, "snapshots/%d" % snapshot_id)

    def earliest_snapshot_id(self, branch):
        return 1


class RestVersions(ReadingVersions):
    def publish(self, publication):
        try:
            return send(self.uri, self.object_name(publication.branch), publication.request)
        except urllib.error.HTTPError as e:
            if e.code == 403:
                import paimon_c

                raise paimon_c.StateError("the catalog forbids it") from e
            raise
