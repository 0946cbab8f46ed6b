package io.sluice.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.peer.Peer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SparkVariantTest {
  @Test
  void peersThatAreThereComeBehindOurs() {
    assertEquals(
        List.of(SparkVariant.TMPFS, SparkVariant.SLUICE, SparkVariant.UNIFFLE),
        SparkVariant.beside(SparkVariant.ON_TMPFS, Set.of(Peer.UNIFFLE)));
    assertEquals(
        List.of(SparkVariant.CELEBORN, SparkVariant.UNIFFLE),
        SparkVariant.beside(List.of(), Set.of(Peer.UNIFFLE, Peer.CELEBORN)));
  }

  @Test
  void whatShufflesThroughSparkItselfIsNotAskedForItsManager() {
    assertEquals(Optional.empty(), SparkVariant.DISK.manager());
    assertEquals(Optional.empty(), SparkVariant.TMPFS_ENCRYPTED.manager());
    assertEquals(Optional.of(SparkJob.SLUICE_MANAGER), SparkVariant.SERVICE.manager());
    assertEquals(Optional.of(Peer.CELEBORN.manager()), SparkVariant.CELEBORN.manager());
  }
}
