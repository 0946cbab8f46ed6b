package io.sluice.it.job;

/** Is told how far a job is, on the thread that reads the client's output. */
@FunctionalInterface
public interface JobProgress {
  JobProgress SILENT = (mapPercent, reducePercent) -> {};

  void at(int mapPercent, int reducePercent);
}
