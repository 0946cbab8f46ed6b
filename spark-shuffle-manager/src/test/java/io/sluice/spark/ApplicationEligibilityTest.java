package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.PoolShuffleManager.ApplicationEligibility;
import io.sluice.spark.service.SluiceDataIO;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationEligibilityTest {
  @Test
  void anOrdinaryApplicationIsShuffledBySluice() {
    assertEquals(Optional.empty(), ApplicationEligibility.declineReason(new SparkConf(false)));
  }

  @ParameterizedTest
  @CsvSource({
    "yarn, , true",
    "yarn, yarn, true",
    "yarn, none, false",
    "spark://host:7077, , false",
    "spark://host:7077, none, false",
    "spark://host:7077, /dev/shm/sluice, true"
  })
  void withTheExternalShuffleServiceOutputsMustOutliveExecutors(
      String master, String service, boolean sluice) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.master", master)
            .set("spark.shuffle.service.enabled", "true");
    if (service != null) {
      conf.set("spark.sluice.service", service);
    }
    Optional<String> declined = ApplicationEligibility.declineReason(conf);
    assertEquals(sluice, declined.isEmpty(), declined.toString());
    assertTrue(
        sluice || declined.orElseThrow().contains("spark.sluice.service names no service"),
        declined.toString());
  }

  /** As Spark says it: on YARN alone, and not with encrypted files. */
  @ParameterizedTest
  @CsvSource({"yarn, false, true", "yarn, true, false", "spark://host:7077, false, false"})
  void pushBasedMergingIsSparks(String master, boolean encrypted, boolean declined) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.master", master)
            .set("spark.shuffle.service.enabled", "true")
            .set("spark.shuffle.push.enabled", "true")
            .set("spark.io.encryption.enabled", Boolean.toString(encrypted))
            .set("spark.sluice.service", "/dev/shm/sluice");
    Optional<String> reason = ApplicationEligibility.declineReason(conf);
    assertEquals(declined, reason.isPresent(), reason.toString());
    assertTrue(!declined || reason.get().contains("spark.shuffle.push.enabled"), reason.toString());
  }

  @Test
  void anotherWayToStoreMapOutputsIsUsedWholeOrNotAtAll() {
    SparkConf conf =
        new SparkConf(false).set(ApplicationEligibility.IO_PLUGIN, "com.example.RemoteDataIO");
    String reason = ApplicationEligibility.declineReason(conf).orElseThrow();
    assertTrue(reason.contains("spark.shuffle.sort.io.plugin.class is com.example"), reason);
    conf.set(
        ApplicationEligibility.IO_PLUGIN,
        "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO");
    assertEquals(Optional.empty(), ApplicationEligibility.declineReason(conf));
    conf.set(ApplicationEligibility.IO_PLUGIN, SluiceDataIO.class.getName());
    assertEquals(Optional.empty(), ApplicationEligibility.declineReason(conf));
  }

  @Test
  void attemptsWhoseOutputsHaveOneNameAreLeftToSpark() {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.useOldFetchProtocol", "true");
    assertTrue(
        ApplicationEligibility.declineReason(conf).orElseThrow().contains("useOldFetchProtocol"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.network.crypto.enabled",
        "spark.ssl.rpc.enabled",
        "spark.authenticate.enableSaslEncryption"
      })
  void encryptedTrafficIsNoReason(String setting) {
    SparkConf conf = new SparkConf(false).set(setting, "true");
    assertEquals(Optional.empty(), ApplicationEligibility.declineReason(conf));
  }
}
