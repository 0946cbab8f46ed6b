package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.it.jobs.ScenarioConf.KeyType;
import io.sluice.rdma.testing.TestCertificate;
import io.sluice.spill.segment.SegmentName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose map outputs are encrypted; the output is stock's, and no record lies in a pool. */
@ExtendWith(SharedCluster.class)
class EncryptionIT {
  private static final String ENCRYPTED = "mapreduce.job.encrypted-intermediate-data";
  private static final String TLS = "mapreduce.shuffle.ssl.enabled";
  private static final int REDUCES = 4;

  /** As marked keys look, and ciphertext of this length not once in a hundred thousand times. */
  private static final Pattern CANARY = Pattern.compile("mark-[0-9a-z]{3}");

  private static final Scenario RECORDS =
      Scenario.newApi("encryption")
          .with(ScenarioConf.MAPS, 4)
          .with(ScenarioConf.RECORDS_PER_MAP, 5_000)
          .with("mapreduce.job.reduces", REDUCES);

  /**
   * What jobs before have left in free blocks has other keys. The two maps of a node have 40 MB,
   * which its memory does not hold.
   */
  private static final Scenario MARKED =
      RECORDS
          .named("encryption-marked")
          .with(ScenarioConf.KEY_TYPE, KeyType.MARKED)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 8_192);

  @AfterEach
  void allNodesServeAgainAndHoldNothing(PseudoCluster cluster) {
    cluster.awaitActiveNodes(2);
    Pools.awaitEmpty(cluster);
  }

  /** The plain job shows that the canary would be found, on either tier. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noRecordLiesInAPoolOrOnDisk(boolean encrypted, PseudoCluster cluster) throws IOException {
    String expected = StockOutput.of(cluster, MARKED);
    Scenario scenario =
        MARKED.named(encrypted ? "canary" : "canary-found").with(ENCRYPTED, encrypted);
    FinishedJob finished;
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.openMapGate();
      run.awaitReducesAtGate(REDUCES);
      for (NodeManager node : cluster.nodes()) {
        Path overflow = node.place().localDir().resolveSibling("overflow");
        for (Path tier : List.of(node.place().pool(), overflow)) {
          assertEquals(!encrypted, hasCanary(tier), "records in " + tier);
        }
      }
      run.openReduceGate();
      finished =
          run.await()
              .allSucceededAtOnce()
              .has("SPILL_BYTES_MEMORY", "READ_BYTES_TCP")
              .hasNoFallback();
    }
    if (encrypted) {
      finished
          .has("ENCRYPTED_BYTES", "DECRYPTED_BYTES")
          .hasNo("FORGED_RUNS")
          .mapsLogged("AES-128-GCM, by the job's spill key")
          .reducesLogged("AES-128-GCM, by the job's spill key");
    } else {
      finished.hasNo("ENCRYPTED_BYTES", "DECRYPTED_BYTES");
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  /** Fails where no segment of that tier has anything. */
  private static boolean hasCanary(Path tier) throws IOException {
    int segments = 0;
    boolean found = false;
    try (Stream<Path> walk = Files.walk(tier)) {
      for (Path file : walk.filter(Files::isRegularFile).toList()) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        segments += SegmentName.parse(file).isPresent() && !bytes.isEmpty() ? 1 : 0;
        found |= CANARY.matcher(bytes).find();
      }
    }
    assertTrue(segments > 0, "nothing to look into in " + tier);
    return found;
  }

  /** Compressed, merged on both sides, huge values, and more than the memory tiers hold. */
  @Test
  @Tag("campaign")
  void mergesOfBothSidesAndTheDiskTier(PseudoCluster cluster) throws Exception {
    Scenario scenario =
        Scenario.newApi("encrypted-odd")
            .with(ScenarioConf.MAPS, 4)
            .with(ScenarioConf.RECORDS_PER_MAP, 6_500)
            .with(ScenarioConf.MAX_VALUE_LENGTH, 4_096)
            .with(ScenarioConf.HUGE_VALUE_LENGTH, 2 << 20)
            .with("mapreduce.map.output.compress", true)
            .with("mapreduce.task.io.sort.factor", 2)
            .with("mapreduce.task.io.sort.mb", 1)
            .with("sluice.reduce.buffer-mb", 1)
            .with("mapreduce.job.encrypted-intermediate-data-key-size-bits", 256);
    String expected = StockOutput.of(cluster, scenario);
    Scenario encrypted = scenario.named("encrypted-odd-2").with(ENCRYPTED, true);
    long diskUses = Pools.diskUses(cluster);
    FinishedJob.of(cluster, encrypted.run(cluster, HadoopVariant.SLUICE).requireSuccess())
        .hasNoFallback()
        .has("ENCRYPTED_BYTES", "SPILL_BYTES_MEMORY")
        .mapsLogged("Merging the runs of")
        .mapsLogged("AES-256-GCM");
    assertTrue(Pools.diskUses(cluster) > diskUses, "nothing went to disk");
    Oracle.assertSameOutput(cluster, expected, encrypted.output(HadoopVariant.SLUICE));
  }

  /** Its spills are decrypted, combined and encrypted anew before anything is committed. */
  @Test
  @Tag("campaign")
  void aCombinerOverSeveralSpills(PseudoCluster cluster) {
    int keys = 1_000;
    int maps = 2;
    Scenario scenario =
        Scenario.newApi("encrypted-combine")
            .with(ScenarioConf.MAPS, maps)
            .with(ScenarioConf.DISTINCT_KEYS, keys)
            .with(ScenarioConf.RECORDS_PER_MAP, 300_000)
            .with(ScenarioConf.COMBINE, true)
            .with("mapreduce.job.reduces", 2)
            .with("mapreduce.task.io.sort.mb", 1);
    String expected = StockOutput.of(cluster, scenario);
    Scenario encrypted = scenario.named("encrypted-combine-2").with(ENCRYPTED, true);
    FinishedJob finished =
        FinishedJob.of(cluster, encrypted.run(cluster, HadoopVariant.SLUICE).requireSuccess());
    finished
        .hasNoFallback()
        .has("ENCRYPTED_BYTES", "DECRYPTED_BYTES", "MERGE_MS")
        .hasNo("FORGED_RUNS");
    assertEquals(
        (long) maps * keys,
        finished.counters().task("REDUCE_INPUT_RECORDS"),
        "each map has one record for each key");
    Oracle.assertSameOutput(cluster, expected, encrypted.output(HadoopVariant.SLUICE));
  }

  @Test
  @Tag("campaign")
  void aNodeWithoutTheServiceSendsWhatStockEncrypts(PseudoCluster cluster) {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario = RECORDS.named("encrypted-mixed").with(ENCRYPTED, true);
    NodeManager without = cluster.nodes().get(1);
    try {
      without.restartWith(Map.of("yarn.nodemanager.aux-services", "mapreduce_shuffle"));
      cluster.awaitActiveNodes(2);
      assertMixed(run(cluster, scenario));
    } finally {
      without.restartWith(Map.of());
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  private static void assertMixed(FinishedJob finished) {
    finished
        .has("READ_BYTES_LOCAL", "READ_BYTES_TCP", "READ_BYTES_HTTP")
        .has("ENCRYPTED_BYTES", "DECRYPTED_BYTES")
        .hasNo("FALLBACK_REDUCE_TO_STOCK", "FORGED_RUNS");
    assertEquals(2, finished.counters().sluice("FALLBACK_MAP_TO_STOCK"));
    assertEquals(2 * REDUCES, finished.counters().sluice("FALLBACK_FETCH_TO_HTTP"));
  }

  @Test
  @Tag("campaign")
  void overTlsWithAKeyThatIsLongEnough(PseudoCluster cluster, @TempDir Path directory)
      throws IOException, InterruptedException {
    String expected = StockOutput.of(cluster, RECORDS);
    String hosts =
        cluster.nodes().stream()
            .map(node -> node.place().host())
            .distinct()
            .map(host -> (host.matches("[0-9.]+") ? "ip:" : "dns:") + host)
            .collect(Collectors.joining(","));
    TestCertificate certificate = TestCertificate.create(directory, hosts);
    Scenario overTls = RECORDS.with(client(certificate));
    Scenario longKey = overTls.named("tls").with("mapreduce.shuffle-key-length", 256);
    Scenario shortKey = overTls.named("tls-64");
    try {
      Map<String, String> without = new LinkedHashMap<>(server(certificate));
      without.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
      cluster.nodes().get(0).restartWith(server(certificate));
      cluster.nodes().get(1).restartWith(without);
      cluster.awaitActiveNodes(2);
      FinishedJob finished = run(cluster, longKey);
      assertMixed(finished);
      finished.reducesLogged("AES-128-GCM, by the job's shuffle secret");
      FinishedJob.of(cluster, shortKey.run(cluster, HadoopVariant.SLUICE).requireSuccess())
          .hasNo("SPILL_BYTES_MEMORY", "READ_BYTES_LOCAL", "READ_BYTES_TCP", "ENCRYPTED_BYTES")
          .has("FALLBACK_MAP_TO_STOCK", "FALLBACK_REDUCE_TO_STOCK")
          .reducesLogged("the job's shuffle secret has 64 bits");
    } finally {
      cluster.nodes().forEach(node -> node.restartWith(Map.of()));
    }
    for (Scenario scenario : List.of(longKey, shortKey)) {
      Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    }
  }

  /** With files of settings that are not there, the NodeManager's own and the job's own count. */
  private static Map<String, String> server(TestCertificate certificate) {
    return Map.of(
        TLS,
        "true",
        "hadoop.ssl.server.conf",
        "no-such-resource.xml",
        "ssl.server.keystore.location",
        certificate.store().toString(),
        "ssl.server.keystore.password",
        certificate.password(),
        "ssl.server.keystore.type",
        "PKCS12");
  }

  private static Map<String, String> client(TestCertificate certificate) {
    return Map.of(
        TLS,
        "true",
        "hadoop.ssl.client.conf",
        "no-such-resource.xml",
        "ssl.client.truststore.location",
        certificate.store().toString(),
        "ssl.client.truststore.password",
        certificate.password(),
        "ssl.client.truststore.type",
        "PKCS12");
  }

  private static FinishedJob run(PseudoCluster cluster, Scenario scenario) {
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      run.openMapGate();
      run.awaitReducesAtGate(REDUCES);
      run.openReduceGate();
      return run.await().allSucceededAtOnce();
    }
  }
}
