package io.sluice.bench.local;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What one of the jobs of a program took, as the program says.
 *
 * @param job its name
 * @param wallMs from its submission to when its client knew of its end
 * @param cpuMs processor time of the whole process meanwhile
 * @param result what came of it
 */
record JobTime(String job, long wallMs, long cpuMs, String result) {
  private static final int FIELDS = 4;

  /** All of a program, in their order. */
  static List<JobTime> read(Path file) {
    try {
      return Files.readAllLines(file).stream().map(JobTime::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the program did not write what its jobs took", e);
    }
  }

  private static JobTime parse(String line) {
    String[] fields = line.split("\t");
    if (fields.length != FIELDS) {
      throw new ClusterException("not what a job took: " + line);
    }
    return new JobTime(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
  }
}
