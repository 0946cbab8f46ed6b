package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.service.SluiceDataIO;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EligibilityTest {
  @Test
  void anOrdinaryApplicationIsShuffledBySluice() {
    assertEquals(Optional.empty(), Eligibility.declineReason(new SparkConf(false)));
  }

  @Test
  void theExternalShuffleServiceServesFilesOnly() {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.service.enabled", "true");
    assertTrue(
        Eligibility.declineReason(conf).orElseThrow().contains("spark.shuffle.service.enabled"));
  }

  @Test
  void anotherWayToStoreMapOutputsIsUsedWholeOrNotAtAll() {
    SparkConf conf = new SparkConf(false).set(Eligibility.IO_PLUGIN, "com.example.RemoteDataIO");
    String reason = Eligibility.declineReason(conf).orElseThrow();
    assertTrue(reason.contains("spark.shuffle.sort.io.plugin.class is com.example"), reason);
    conf.set(Eligibility.IO_PLUGIN, "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO");
    assertEquals(Optional.empty(), Eligibility.declineReason(conf));
    conf.set(Eligibility.IO_PLUGIN, SluiceDataIO.class.getName());
    assertEquals(Optional.empty(), Eligibility.declineReason(conf));
  }

  @Test
  void attemptsWhoseOutputsHaveOneNameAreLeftToSpark() {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.useOldFetchProtocol", "true");
    assertTrue(Eligibility.declineReason(conf).orElseThrow().contains("useOldFetchProtocol"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.network.crypto.enabled",
        "spark.ssl.rpc.enabled",
        "spark.authenticate.enableSaslEncryption"
      })
  void encryptedTrafficNeedsEncryptedBlocks(String setting) {
    SparkConf conf = new SparkConf(false).set(setting, "true");
    assertTrue(
        Eligibility.declineReason(conf).orElseThrow().contains("spark.io.encryption.enabled"));
    conf.set("spark.io.encryption.enabled", "true");
    assertEquals(Optional.empty(), Eligibility.declineReason(conf));
  }
}
