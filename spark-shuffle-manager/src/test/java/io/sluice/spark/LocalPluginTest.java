package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The plugin in a local Spark: the driver is the only executor. */
@ExtendWith(ShuffledRecords.class)
class LocalPluginTest {
  private static final List<Integer> NUMBERS = IntStream.range(0, 10_000).boxed().toList();

  @TempDir private Path pools;

  private SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("<b>LocalPluginTest</b>")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.port", "0")
        .set("spark.log.level", "WARN")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.plugins", SluicePlugin.class.getName())
        .set("spark.sluice.pool.dir", pools.toString())
        .set("spark.sluice.pool.capacity", "32m")
        .set("spark.sluice.pool.segmentSize", "16m");
  }

  private static String page(JavaSparkContext context) throws IOException, InterruptedException {
    URI page = URI.create(context.sc().uiWebUrl().get() + "/sluice/");
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode());
    return answer.body();
  }

  @Test
  void isTheOnlySwitchAndShowsWhatTheTasksRead() throws IOException, InterruptedException {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      assertEquals(NUMBERS.size(), context.parallelize(NUMBERS, 3).repartition(4).count());
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      Map<String, Long> bytes = manager.counters().bytesByWay();
      assertEquals(List.of("local"), List.copyOf(bytes.keySet()));
      String html = page(context);
      assertTrue(html.contains("sorttable_customkey=\"" + bytes.get("local") + "\""), html);
      assertTrue(html.contains("<td>driver</td>"), html);
      assertTrue(html.contains("<td>open</td>"), html);
      assertFalse(html.contains("<b>LocalPluginTest"), html);
    }
  }

  @Test
  void leavesAnotherShuffleManagerAndSaysSo() throws IOException, InterruptedException {
    SparkConf conf = conf().set("spark.shuffle.manager", "sort");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(NUMBERS.size(), context.parallelize(NUMBERS, 3).repartition(4).count());
      assertFalse(SparkEnv.get().shuffleManager() instanceof SluiceShuffleManager);
      String html = page(context);
      assertTrue(
          html.contains("none, because of org.apache.spark.shuffle.sort.SortShuffleManager"), html);
    }
  }

  @Test
  void aSettingThatIsNoneIsSaidOnTheDriverWhateverTheShuffleManager() {
    SparkConf conf =
        conf()
            .set("spark.shuffle.manager", "sort")
            .set("spark.sluice.persistence.enabled", "perhaps");
    Exception e = assertThrows(IllegalArgumentException.class, () -> new JavaSparkContext(conf));
    assertTrue(
        e.getMessage().contains("spark.sluice.persistence.enabled is 'perhaps'"), e.getMessage());
  }

  @Test
  void needsNoUi() {
    try (JavaSparkContext context = new JavaSparkContext(conf().set("spark.ui.enabled", "false"))) {
      assertEquals(NUMBERS.size(), context.parallelize(NUMBERS, 3).repartition(4).count());
    }
  }
}
