package io.sluice.bench.hadoop;

import io.sluice.bench.Variant;
import io.sluice.it.cluster.SluiceFragments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A way to run the same unmodified job on the same cluster: only settings differ. */
public enum HadoopVariant implements Variant {
  /** Hadoop's own collector and shuffle with Hadoop's own defaults. */
  STOCK("stock defaults"),
  /** Hadoop's own, with memory settings that avoid most of its disk passes. */
  TUNED("stock tuned"),
  /** The settings of {@code docs/conf}, which the cluster's clients already have. */
  SLUICE("Sluice");

  private final String title;

  HadoopVariant(String title) {
    this.title = title;
  }

  @Override
  public String title() {
    return title;
  }

  /** What is passed as {@code -D} to a job. */
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (this != SLUICE) {
      settings.put(SluiceFragments.COLLECTOR_KEY, SluiceFragments.STOCK_COLLECTOR);
      settings.put(SluiceFragments.CONSUMER_KEY, SluiceFragments.STOCK_CONSUMER);
    }
    if (this == TUNED) {
      settings.put("mapreduce.task.io.sort.mb", "256");
      settings.put("mapreduce.reduce.input.buffer.percent", "0.7");
      settings.put("mapreduce.reduce.shuffle.merge.percent", "0.9");
    }
    return settings;
  }

  /** All variants that can run: Sluice only where its jar has been built. */
  public static List<HadoopVariant> available(Optional<SluiceFragments> sluice) {
    List<HadoopVariant> variants = new ArrayList<>(List.of(STOCK, TUNED));
    sluice.ifPresent(present -> variants.add(SLUICE));
    return variants;
  }
}
