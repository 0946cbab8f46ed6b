package io.sluice.spark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.report.ExecutorReport.TierUse;
import java.util.List;
import java.util.Map;
import org.apache.spark.util.JsonProtocol;
import org.apache.spark.util.kvstore.InMemoryStore;
import org.apache.spark.util.kvstore.KVStoreSerializer;
import org.junit.jupiter.api.Test;

/** A report as a line of an event log, as Spark writes and reads those. */
class ReportEventTest {
  private static final ExecutorReport REPORT =
      new ExecutorReport(
          "7",
          "host",
          1_000,
          "open",
          List.of("verbs", "tcp"),
          new TierUse(1, 2),
          new TierUse(3, 0),
          4,
          5,
          Map.of("tcp", 6L),
          Map.of("no \"pool\"", 7L),
          new TierUse(8, 9),
          10);

  private static final String LINE =
      JsonProtocol.sparkEventToJsonString(new ReportsEvent(List.of(REPORT)));

  private static String shown(ExecutorReport report) {
    return SluiceTab.content(List.of(report));
  }

  @Test
  void isReadAsItWasWritten() {
    ReportsEvent read = assertInstanceOf(ReportsEvent.class, JsonProtocol.sparkEventFromJson(LINE));
    assertEquals(shown(REPORT), shown(read.reports().get(0)));
    assertEquals(LINE, JsonProtocol.sparkEventToJsonString(read));
    assertTrue(LINE.startsWith("{\"Event\":\"io.sluice.spark.report.ReportsEvent\","), LINE);
    assertTrue(!LINE.contains("\n"), LINE);
  }

  @Test
  void ofAnotherReleaseWhatBothKnowIsRead() {
    String newer = LINE.replace("{\"usedBytes\"", "{\"more\":{\"a\":[1]},\"usedBytes\"");
    newer = newer.replace("\"outputs\"", "\"evenMore\":[],\"outputs\"");
    assertEquals(LINE, JsonProtocol.sparkEventToJsonString(JsonProtocol.sparkEventFromJson(newer)));
    String older =
        "{\"Event\":\"io.sluice.spark.report.ReportsEvent\",\"reports\":[{\"executorId\":\"7\"}]}";
    ExecutorReport read = ((ReportsEvent) JsonProtocol.sparkEventFromJson(older)).reports().get(0);
    assertTrue(shown(read).contains("<td>7</td>"), shown(read));
    assertEquals(Map.of(), read.bytesByWay());
    String none = "{\"Event\":\"io.sluice.spark.report.ReportsEvent\"}";
    assertEquals(List.of(), ((ReportsEvent) JsonProtocol.sparkEventFromJson(none)).reports());
  }

  /** Spark leaves out lines with this failure, and no others. */
  @Test
  void withoutItsClassTheLineFailsInTheWayThatSparkLeavesOut() {
    String unknown = LINE.replace("report.ReportsEvent", "report.OfAnotherRelease");
    assertThrows(ClassNotFoundException.class, () -> JsonProtocol.sparkEventFromJson(unknown));
  }

  @Test
  void theStoreOfAHistoryServerKeepsTheLastOfEachExecutor() throws Exception {
    InMemoryStore store = new InMemoryStore();
    store.write(REPORT);
    String later = LINE.replace("\"host\":\"host\"", "\"host\":\"b\"");
    store.write(((ReportsEvent) JsonProtocol.sparkEventFromJson(later)).reports().get(0));
    assertEquals(1, store.count(ExecutorReport.class));
    assertEquals("b", store.read(ExecutorReport.class, "7").host());
    KVStoreSerializer files = new KVStoreSerializer();
    ExecutorReport read = files.deserialize(files.serialize(REPORT), ExecutorReport.class);
    assertEquals(shown(REPORT), shown(read));
  }
}
