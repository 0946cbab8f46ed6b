package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.jobs.HeldJob;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import io.sluice.rdma.testing.TestCertificate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Applications whose traffic Spark encrypts, on executors of stock Spark: the results are stock's,
 * nothing is left to Spark, and no record lies in a pool.
 */
class SparkEncryptionIT extends SubmitTestBase {
  private static final long ROWS = 20_000;
  private static final int PARTITIONS = 6;
  private static final int MANY_PARTITIONS = 250;

  /** As values look, and ciphertext of this length does not once in 10 to the 20th times. */
  private static final Pattern CANARY = Pattern.compile("[0-o]{40}");

  /** Local clusters draw no secret themselves. */
  private static final Map<String, String> CRYPTO =
      Map.of(
          "spark.authenticate", "true",
          "spark.authenticate.secret", "a secret of a test",
          "spark.network.crypto.enabled", "true");

  private static final Map<String, String> SASL =
      Map.of(
          "spark.authenticate", "true",
          "spark.authenticate.secret", "a secret of a test",
          "spark.authenticate.enableSaslEncryption", "true");

  /** The plain application shows that the canary would be found. */
  @Test
  void noRecordLiesInAPool() throws IOException {
    HeldJob.Ready plain = shuffle("plain", Map.of(), true);
    HeldJob.Ready encrypted = shuffle("encrypted", CRYPTO, false);
    assertEquals(ROWS, encrypted.rows());
    assertEquals(plain.digest(), encrypted.digest());
    assertEquals(plain.costs().bytesWritten(), encrypted.costs().bytesWritten());
    ShuffleState state = ShuffleState.of(encrypted.executorStates().values());
    assertEquals(Map.of(), state.fallbacks());
    assertTrue(state.servedBytes() > encrypted.costs().remoteBytesRead(), "tags and headers too");
    assertTrue(encrypted.costs().remoteBytesRead() > 0, "blocks moved");
  }

  private HeldJob.Ready shuffle(String name, Map<String, String> settings, boolean found)
      throws IOException {
    Path meeting = Files.createDirectory(directory.resolve(name));
    Path pools = Files.createDirectory(directory.resolve(name + "-pools"));
    SparkJob job =
        HeldRun.job(workspace, ROWS, meeting)
            .throughSluice(workspace)
            .with(settings)
            .with("spark.shuffle.compress", false) // or no record would be found as it is
            .with("spark.sluice.transport", "tcp")
            .with("spark.sluice.pool.dir", pools);
    try (HeldRun run = HeldRun.start(submit, SparkSubmit.LOCAL_CLUSTER, job, meeting)) {
      HeldJob.Ready ready = run.ready();
      assertEquals(found, hasCanary(pools), "records in the pools, " + name);
      return ready;
    }
  }

  private static boolean hasCanary(Path pools) throws IOException {
    long bytes = 0;
    boolean found = false;
    try (Stream<Path> walk = Files.walk(pools)) {
      for (Path file : walk.filter(Files::isRegularFile).toList()) {
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        bytes += content.length();
        found |= CANARY.matcher(content).find();
      }
    }
    assertTrue(bytes > ROWS * 80, "nothing to look into");
    return found;
  }

  /** Each way to encrypt traffic, beside the encryption of blocks, and with what goes to Spark. */
  @Test
  @Tag("campaign")
  void everyWayToEncryptGivesStocksResult() throws IOException, InterruptedException {
    ContextPlan refused =
        new ContextPlan(
            "pools that take one reader",
            with(CRYPTO, Map.of("spark.sluice.server.maxConnections", "1")),
            List.of(shuffle(Workload.GROUP_BY_KEY, PARTITIONS)));
    ContextPlan crypto =
        new ContextPlan(
            "spark.network.crypto",
            with(CRYPTO, Map.of("spark.network.crypto.keyLength", "256")),
            List.of(
                shuffle(Workload.SORT_BY_KEY, PARTITIONS),
                shuffle(Workload.SQL_JOIN, MANY_PARTITIONS)));
    ContextPlan twice =
        new ContextPlan(
            "blocks encrypted too",
            with(CRYPTO, Map.of("spark.io.encryption.enabled", "true")),
            List.of(shuffle(Workload.COGROUP, PARTITIONS)));
    ContextPlan sasl =
        new ContextPlan("SASL", SASL, List.of(shuffle(Workload.REDUCE_BY_KEY, PARTITIONS)));
    ContextPlan tls =
        new ContextPlan("TLS", tls(), List.of(shuffle(Workload.REPARTITION, PARTITIONS)));
    ShufflePlan plan = new ShufflePlan(List.of(refused, crypto, twice, sasl, tls));
    PlanOracle oracle =
        new PlanOracle(
            submit
                .run(SparkSubmit.LOCAL, job("stock", plan.inOneContext()))
                .report(ShufflePlanReport.class));
    List<ContextReport> ours =
        submit
            .run(
                "local-cluster[3,1,1024]",
                job("Sluice", plan)
                    .throughSluice(workspace)
                    .with("spark.cores.max", 3)
                    .with("spark.sluice.transport", "tcp"))
            .report(ShufflePlanReport.class)
            .contexts();
    assertAll(ours.stream().map(each -> () -> assertEquals(List.of(), oracle.wrongResults(each))));
    assertAll(
        ours.subList(1, ours.size()).stream()
            .map(each -> () -> assertEquals(Set.of(), PlanOracle.fallbacks(each), each.name())));
    assertAll(
        ours.stream().map(each -> () -> assertTrue(PlanOracle.served(each) > 0, each.name())));
    assertEquals(
        Set.of("a peer's service that took no further connection"),
        PlanOracle.fallbacks(ours.get(0)));
    assertTrue(PlanOracle.bytesByWay(ours.get(0)).get("spark") > 0, "through Spark");
  }

  private static Map<String, String> with(Map<String, String> settings, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(more);
    return all;
  }

  private Map<String, String> tls() throws IOException, InterruptedException {
    TestCertificate certificate = TestCertificate.create(directory, "ip:127.0.0.1,dns:localhost");
    return Map.of(
        "spark.ssl.rpc.enabled", "true",
        "spark.ssl.rpc.protocol", "TLSv1.3",
        "spark.ssl.rpc.keyStore", certificate.store().toString(),
        "spark.ssl.rpc.keyStorePassword", certificate.password(),
        "spark.ssl.rpc.keyPassword", certificate.password(),
        "spark.ssl.rpc.keyStoreType", "PKCS12",
        "spark.ssl.rpc.trustStore", certificate.store().toString(),
        "spark.ssl.rpc.trustStorePassword", certificate.password(),
        "spark.ssl.rpc.trustStoreType", "PKCS12");
  }

  private SparkJob job(String name, ShufflePlan plan) {
    return QuickJvms.of(SparkJob.plan(workspace, name, plan));
  }

  private static ShuffleArguments shuffle(Workload workload, int partitions) {
    return new ShuffleArguments(workload, ROWS, partitions, 7);
  }
}
