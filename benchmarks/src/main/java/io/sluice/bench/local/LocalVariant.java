package io.sluice.bench.local;

import io.sluice.bench.Variant;
import java.util.List;

/** Who runs a job in its client's process. */
enum LocalVariant implements Variant {
  /** As it is by default: one task at a time. */
  STOCK("LocalJobRunner", "-Dmapreduce.framework.name=local"),
  /** With a task for each core. */
  STOCK_PARALLEL(
      "LocalJobRunner, parallel",
      "-Dmapreduce.framework.name=local",
      "-Dmapreduce.local.map.tasks.maximum=" + Runtime.getRuntime().availableProcessors(),
      "-Dmapreduce.local.reduce.tasks.maximum=" + Runtime.getRuntime().availableProcessors()),
  SLUICE("Sluice", "-Dmapreduce.framework.name=sluice");

  private final String title;
  private final List<String> settings;

  LocalVariant(String title, String... settings) {
    this.title = title;
    this.settings = List.of(settings);
  }

  @Override
  public String title() {
    return title;
  }

  /** Among a job's generic options. */
  List<String> settings() {
    return settings;
  }
}
