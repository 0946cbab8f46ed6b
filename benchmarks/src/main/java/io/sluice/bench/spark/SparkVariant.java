package io.sluice.bench.spark;

import io.sluice.bench.Comparison.Variant;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.peer.Peer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A way to run the same shuffles in Spark. */
public enum SparkVariant implements Variant {
  DISK("stock, disk"),
  TMPFS("stock, tmpfs"),
  TMPFS_ENCRYPTED("stock, tmpfs, encrypted"),
  SLUICE("Sluice"),
  SLUICE_ENCRYPTED("Sluice, encrypted"),
  SERVICE("Sluice, node service"),
  CELEBORN(Peer.CELEBORN),
  UNIFFLE(Peer.UNIFFLE);

  /** Every place of map outputs. */
  public static final List<SparkVariant> ALL = List.of(DISK, TMPFS, SLUICE, SERVICE);

  /** Sluice, and stock with its local directories in memory. */
  public static final List<SparkVariant> ON_TMPFS = List.of(TMPFS, SLUICE);

  /** Without and with encryption between executors. */
  public static final List<SparkVariant> ENCRYPTED =
      List.of(TMPFS, TMPFS_ENCRYPTED, SLUICE, SLUICE_ENCRYPTED);

  private final String title;
  private final Peer peer; // null for ours and stock

  SparkVariant(String title) {
    this.title = title;
    this.peer = null;
  }

  SparkVariant(Peer peer) {
    this.title = peer.title();
    this.peer = peer;
  }

  /** These, and peers behind them. */
  public static List<SparkVariant> beside(List<SparkVariant> ours, Set<Peer> peers) {
    return Stream.concat(
            ours.stream(),
            Stream.of(values())
                .filter(variant -> variant.peer().filter(peers::contains).isPresent()))
        .toList();
  }

  /** The peer through whose servers it shuffles, if it is one. */
  Optional<Peer> peer() {
    return Optional.ofNullable(peer);
  }

  /** Whether it shuffles through Sluice. */
  boolean isSluice() {
    return this == SLUICE || this == SLUICE_ENCRYPTED || this == SERVICE;
  }

  /** The class that its executors shuffle through, where that is not Spark's. */
  Optional<String> manager() {
    return isSluice() ? Optional.of(SparkJob.SLUICE_MANAGER) : peer().map(Peer::manager);
  }

  boolean isEncrypted() {
    return this == TMPFS_ENCRYPTED || this == SLUICE_ENCRYPTED;
  }

  /** Whether local directories are in memory. */
  boolean isOnTmpfs() {
    return this == TMPFS || this == TMPFS_ENCRYPTED;
  }

  @Override
  public String title() {
    return title;
  }
}
