import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataInputDeserializer;
import org.apache.paimon.io.DataOutputViewStreamWrapper;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.options.Options;
import org.apache.paimon.rest.RESTApi;
import org.apache.paimon.rest.RESTCatalog;
import org.apache.paimon.rest.requests.CommitTableRequest;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageSerializer;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Paimon Java as a client of a REST catalog, and its class for commit requests. One JSON object a line in, one out: {"is": …} or {"error": …}.
 * Run as it stands: java -cp "oracle/lib/*" RestJudge.java
 */
public class RestJudge {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> answer = new HashMap<>();
            try {
                answer.put("is", answer(RESTApi.OBJECT_MAPPER.readTree(line)));
            } catch (Throwable e) {
                answer.put("error", e.toString() + (e.getCause() == null ? "" : " because of " + e.getCause()));
            }
            out.println(RESTApi.OBJECT_MAPPER.writeValueAsString(answer));
        }
    }

    private static Object answer(JsonNode asked) throws Exception {
        switch (asked.get("do").asText()) {
            case "again":
                return RESTApi.toJson(RESTApi.fromJson(asked.get("json").asText(), CommitTableRequest.class));
            case "write":
                return write(table(asked), asked.get("rows"));
            case "commit":
                return commit(table(asked), asked);
            case "read":
                return read(table(asked));
            default:
                throw new IllegalArgumentException(asked.get("do").asText());
        }
    }

    private static FileStoreTable table(JsonNode asked) throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("metastore", "rest");
        options.put("uri", asked.get("uri").asText());
        options.put("warehouse", "wh");
        options.put("token.provider", "bear");
        options.put("token", "none");
        RESTCatalog catalog = new RESTCatalog(CatalogContext.create(Options.fromMap(options)));
        return (FileStoreTable) catalog.getTable(Identifier.create("db", asked.get("table").asText()));
    }

    /** Files in the table, and hex of the messages that tell of them. */
    private static String write(FileStoreTable table, JsonNode rows) throws Exception {
        RowType type = table.rowType();
        try (BatchTableWrite write = table.newBatchWriteBuilder().newWrite()) {
            for (JsonNode values : rows) {
                GenericRow row = new GenericRow(type.getFieldCount());
                for (int i = 0; i < type.getFieldCount(); i++) {
                    row.setField(i, values.get(i).isNull() ? null : value(values.get(i), type.getTypeAt(i)));
                }
                write.write(row);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new CommitMessageSerializer().serializeList(write.prepareCommit(), new DataOutputViewStreamWrapper(bytes));
            return HexFormat.of().formatHex(bytes.toByteArray());
        }
    }

    private static Object value(JsonNode value, DataType type) {
        switch (type.getTypeRoot()) {
            case INTEGER:
                return value.asInt();
            case BOOLEAN:
                return value.asBoolean();
            case DATE:
                return (int) LocalDate.parse(value.asText()).toEpochDay();
            default:
                return BinaryString.fromString(value.asText());
        }
    }

    private static Object commit(FileStoreTable table, JsonNode asked) throws Exception {
        JsonNode watermark = asked.get("watermark"), properties = asked.get("properties"), overwrite = asked.get("overwrite");
        ManifestCommittable committable =
                new ManifestCommittable(asked.get("identifier").asLong(), watermark.isNull() ? null : watermark.asLong());
        byte[] messages = HexFormat.of().parseHex(asked.get("messages").asText());
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        for (CommitMessage message : serializer.deserializeList(serializer.getVersion(), new DataInputDeserializer(messages))) {
            committable.addFileCommittable(message);
        }
        properties.fields().forEachRemaining(p -> committable.addProperty(p.getKey(), p.getValue().asText()));
        try (TableCommitImpl commit = table.newCommit(asked.get("user").asText())) {
            commit.ignoreEmptyCommit(false);
            if (!overwrite.isNull()) {
                Map<String, String> partition = new HashMap<>();
                overwrite.fields().forEachRemaining(p -> partition.put(p.getKey(), p.getValue().asText()));
                commit.withOverwrite(partition);
            }
            commit.commit(committable);
        }
        return null;
    }

    private static List<List<Object>> read(FileStoreTable table) throws Exception {
        RowType type = table.rowType();
        ReadBuilder builder = table.newReadBuilder();
        List<List<Object>> rows = new ArrayList<>();
        builder.newRead().createReader(builder.newScan().plan()).forEachRemaining(row -> {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < type.getFieldCount(); i++) {
                Object value = InternalRow.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row);
                values.add(value instanceof BinaryString ? value.toString() : value);
            }
            rows.add(values);
        });
        return rows;
    }
}
