package io.sluice.bench.hadoop;

import io.sluice.bench.Comparison.Variant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A way to run the same unmodified job on the same cluster: only settings differ. */
public enum HadoopVariant implements Variant {
  /** Hadoop's own collector and shuffle with Hadoop's own defaults. */
  STOCK("stock defaults"),
  /** Hadoop's own, with memory settings that avoid most of its disk passes. */
  TUNED("stock tuned"),
  /** Stock with what makes it encrypt map outputs; Sluice does so, too. */
  STOCK_ENCRYPTED("stock, encrypted"),
  /**
   * The settings of {@code docs/conf}, which the cluster's clients already have; in benches but for
   * the archive of classes.
   */
  SLUICE("Sluice"),
  /** All of these settings. */
  SLUICE_ARCHIVE("Sluice, archive of classes"),
  SLUICE_ENCRYPTED("Sluice, encrypted");

  /** The variants that encrypt nothing. */
  public static final Set<HadoopVariant> PLAIN =
      Collections.unmodifiableSet(EnumSet.of(STOCK, TUNED, SLUICE, SLUICE_ARCHIVE));

  /** The variants that show the cost of encryption. */
  public static final Set<HadoopVariant> ENCRYPTION =
      Collections.unmodifiableSet(EnumSet.of(STOCK, STOCK_ENCRYPTED, SLUICE, SLUICE_ENCRYPTED));

  private static final Set<HadoopVariant> OURS =
      EnumSet.of(SLUICE, SLUICE_ARCHIVE, SLUICE_ENCRYPTED);
  private static final Set<HadoopVariant> ENCRYPTED = EnumSet.of(STOCK_ENCRYPTED, SLUICE_ENCRYPTED);

  private final String title;

  HadoopVariant(String title) {
    this.title = title;
  }

  @Override
  public String title() {
    return title;
  }

  /**
   * The same where no other's JVM starts from an archive of classes, which would help them all, nor
   * with the thresholds of the compiler that come with it.
   */
  public Map<String, String> settings(PseudoCluster cluster) {
    Map<String, String> settings = settings();
    if (this != SLUICE_ARCHIVE) {
      settings.putAll(cluster.withoutArchive());
    }
    return settings;
  }

  /** Whether it shuffles through Sluice. */
  public boolean isOurs() {
    return OURS.contains(this);
  }

  /** The settings that a job gets by {@code -D}. */
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (!isOurs()) {
      settings.put(SluiceFragments.COLLECTOR_KEY, SluiceFragments.STOCK_COLLECTOR);
      settings.put(SluiceFragments.CONSUMER_KEY, SluiceFragments.STOCK_CONSUMER);
    }
    if (this == TUNED) {
      settings.put("mapreduce.task.io.sort.mb", "256");
      settings.put("mapreduce.reduce.input.buffer.percent", "0.7");
      settings.put("mapreduce.reduce.shuffle.merge.percent", "0.9");
    }
    if (ENCRYPTED.contains(this)) {
      settings.put("mapreduce.job.encrypted-intermediate-data", "true");
    }
    return settings;
  }

  /** The variants without encryption that can run: Sluice only if its jar has been built. */
  public static List<HadoopVariant> available(Optional<SluiceFragments> sluice) {
    return sluice.isPresent() ? List.of(STOCK, TUNED, SLUICE) : List.of(STOCK, TUNED);
  }
}
