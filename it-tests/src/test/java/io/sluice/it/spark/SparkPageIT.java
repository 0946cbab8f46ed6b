package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Poll;
import io.sluice.it.spark.jobs.HeldJob;
import io.sluice.it.spark.jobs.ShuffleCosts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The tab of the plugin: on a driver with two executors, switched on by the plugin, and then in
 * history servers, of which one does not have Sluice's jar.
 */
class SparkPageIT extends SubmitTestBase {
  private static final String PLUGIN = "io.sluice.spark.SluicePlugin";
  private static final long ROWS = 20_000;
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  @Test
  void showsTheBytesThatTheTasksCountedAndSoDoesTheHistoryServer() throws Exception {
    Path meeting = Files.createDirectory(directory.resolve("meeting"));
    try (HeldRun run = HeldRun.start(submit, SparkSubmit.LOCAL_CLUSTER, job(meeting), meeting)) {
      HeldJob.Ready ready = run.ready();
      assertEquals(ROWS, ready.rows());
      ShuffleCosts costs = ready.costs();
      String page =
          Poll.until(
              "both executors to report everything that was read",
              DEADLINE,
              () ->
                  Optional.of(page(ready.uiUrl()))
                      .filter(
                          html ->
                              sum(bytes(html))
                                  == costs.localBytesRead() + costs.remoteBytesRead()));
      List<List<String>> pools = rows(page, "sluice-pools");
      assertAll(
          () -> assertEquals(costs.localBytesRead(), column(bytes(page), 1)),
          () -> assertEquals(costs.remoteBytesRead(), column(bytes(page), 2)),
          () -> assertTrue(page.contains(">Over tcp<"), page),
          () ->
              assertEquals(
                  List.of("0", "1", "driver"), pools.stream().map(row -> row.get(0)).toList()),
          () ->
              assertEquals(
                  List.of("open", "open", "none"), pools.stream().map(row -> row.get(2)).toList()),
          () -> assertTrue(costs.localBytesRead() > 0 && costs.remoteBytesRead() > 0),
          () -> assertTrue(!page.contains("sluice-fallbacks"), page));
      assertHistoryShows(page, run.end().place().resolve("events"));
    }
  }

  /** And that a history server without the jar shows everything else. */
  private void assertHistoryShows(String page, Path events) throws Exception {
    Path parent = directory.resolve("history");
    String jar = workspace.sparkEngineJar().toString();
    try (SparkHistoryServer ours = SparkHistoryServer.start(spark, parent, events, jar);
        SparkHistoryServer stocks =
            SparkHistoryServer.start(spark, directory.resolve("stock"), events, "")) {
      String application = ours.application();
      String finished = page(ours.pages(application));
      assertAll(
          () -> assertEquals(rows(page, "sluice-bytes"), rows(finished, "sluice-bytes")),
          () ->
              assertEquals(
                  List.of("0", "1", "driver"),
                  rows(finished, "sluice-pools").stream().map(row -> row.get(0)).toList()));
      assertEquals(application, stocks.application());
      for (String what : List.of("jobs", "stages", "allexecutors", "environment")) {
        assertEquals(ours.rest(application, what), stocks.rest(application, what), what);
      }
      assertTrue(stocks.rest(application, "jobs").size() > 0);
      String executors = get(stocks.pages(application) + "/executors/");
      assertTrue(executors.contains("/history/" + application + "/jobs/"), executors);
      assertTrue(!executors.contains("/sluice/"), executors);
      assertTrue(get(ours.pages(application) + "/executors/").contains("/sluice/"));
    }
  }

  private SparkJob job(Path meeting) {
    SparkJob job = HeldRun.job(workspace, ROWS, meeting);
    return (SparkDistribution.needsClassPath(spark.version())
            ? job.throughSluice(workspace)
            : job.withJar(workspace.sparkEngineJar()))
        .with("spark.plugins", PLUGIN)
        .with("spark.ui.enabled", true)
        .with("spark.ui.port", 0)
        .with("spark.sluice.transport", "tcp");
  }

  private static String page(String uiUrl) throws IOException, InterruptedException {
    return get(uiUrl + "/sluice/");
  }

  private static String get(String url) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("status " + answer.statusCode());
    }
    return answer.body();
  }

  /** The cells of each row of one table, as they are seen. */
  private static List<List<String>> rows(String html, String table) {
    return body(html, table, "<td[^>]*>(.*?)</td>");
  }

  /** For each executor, what it read each way. */
  private static List<List<Long>> bytes(String html) {
    return body(html, "sluice-bytes", "sorttable_customkey=\"(\\d+)\"").stream()
        .map(row -> row.stream().map(Long::parseLong).toList())
        .toList();
  }

  private static List<List<String>> body(String html, String table, String cell) {
    int start = html.indexOf("<table id=\"" + table + "\"");
    String body = html.substring(html.indexOf("<tbody>", start), html.indexOf("</tbody>", start));
    return all(body, "<tr>(.*?)</tr>").stream().map(row -> all(row, cell)).toList();
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .toList();
  }

  /** Counted from 1, after the executor's id. */
  private static long column(List<List<Long>> rows, int column) {
    return rows.stream().mapToLong(row -> row.get(column - 1)).sum();
  }

  private static long sum(List<List<Long>> rows) {
    return rows.stream().flatMapToLong(row -> row.stream().mapToLong(Long::longValue)).sum();
  }
}
