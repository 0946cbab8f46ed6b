package io.sluice.spark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.report.ExecutorReport.TierUse;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PageContentTest {
  private static final String MARKUP = "<script>alert('\"&')</script>";

  private static ExecutorReport report(
      String id, Map<String, Long> bytesByWay, Map<String, Long> fallbacks) {
    return new ExecutorReport(
        id,
        "host-" + id,
        1_000,
        "open",
        List.of("verbs", "tcp"),
        new TierUse(3 << 20, 64 << 20),
        new TierUse(5, 0),
        7,
        9,
        bytesByWay,
        fallbacks,
        new TierUse(1024, 2048),
        3);
  }

  /** The cells of each row of one table, as they are seen. */
  private static List<List<String>> rows(String html, String table) {
    int start = html.indexOf("<table id=\"" + table + "\"");
    String body = html.substring(html.indexOf("<tbody>", start), html.indexOf("</tbody>", start));
    return all(body, "<tr>(.*?)</tr>").stream()
        .map(row -> all(row, "<td[^>]*>(.*?)</td>"))
        .toList();
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .toList();
  }

  @Test
  void aRowForEachExecutorSaysHowItsPoolIs() {
    String html =
        SluiceTab.content(
            List.of(report("0", Map.of(), Map.of()), report("1", Map.of(), Map.of())));
    List<List<String>> rows = rows(html, "sluice-pools");
    assertEquals(2, rows.size());
    assertEquals(
        List.of(
            "1",
            "host-1",
            "open",
            "verbs, tcp",
            "3.0 MiB / 64.0 MiB",
            "5.0 B",
            "7",
            "9.0 B",
            "3",
            "1024.0 B / 2.0 KiB"),
        rows.get(1).subList(0, 10));
  }

  @Test
  void eachWayOfBytesHasAColumnForAllExecutors() {
    String html =
        SluiceTab.content(
            List.of(
                report("0", Map.of("local", 1L, "tcp", 2048L, "inlined", 5L), Map.of()),
                report("1", Map.of("verbs", 3L, "spark", 4L), Map.of())));
    assertEquals(
        List.of(
            List.of("0", "1.0 B", "2.0 KiB", "0.0 B", "5.0 B", "0.0 B"),
            List.of("1", "0.0 B", "0.0 B", "3.0 B", "0.0 B", "4.0 B")),
        rows(html, "sluice-bytes"));
    assertTrue(html.contains(">Over tcp<"), html);
    assertTrue(html.contains(">Over verbs<"), html);
    assertTrue(html.contains(">With Answers<"), html);
  }

  @Test
  void bytesAreSortedByWhatTheyAreAndNotByHowTheyLook() {
    String html = SluiceTab.content(List.of(report("0", Map.of("tcp", 20_480L), Map.of())));
    assertTrue(html.contains("<td sorttable_customkey=\"20480\">20.0 KiB</td>"), html);
  }

  @Test
  void fallbacksAreTheirReasonsAndCounts() {
    String html = SluiceTab.content(List.of(report("2", Map.of(), Map.of("no pool", 12L))));
    assertEquals(List.of(List.of("2", "no pool", "12")), rows(html, "sluice-fallbacks"));
  }

  @Test
  void withoutFallbacksItSaysSoInsteadOfAnEmptyTable() {
    String html = SluiceTab.content(List.of(report("0", Map.of(), Map.of())));
    assertFalse(html.contains("sluice-fallbacks"), html);
    assertTrue(html.contains("Nothing was left to Spark"), html);
  }

  @Test
  void nothingThatAnExecutorSaysIsMarkup() {
    ExecutorReport report =
        new ExecutorReport(
            MARKUP,
            MARKUP,
            0,
            MARKUP,
            List.of(MARKUP),
            TierUse.NONE,
            TierUse.NONE,
            0,
            0,
            Map.of(MARKUP, 1L),
            Map.of(MARKUP, 1L),
            TierUse.NONE,
            0);
    String html = SluiceTab.content(List.of(report));
    assertFalse(html.contains("<script"), html);
    assertEquals(
        List.of("&lt;script&gt;alert('&quot;&amp;')&lt;/script&gt;"),
        rows(html, "sluice-pools").get(0).stream().limit(1).toList());
  }
}
