package io.sluice.it.local;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * What a whole process took, from its start to its end.
 *
 * @param wallMs time
 * @param cpuMs processor time of all of its threads, garbage collection and compilation too
 * @param gcMs time that the program stood still for garbage collection, and of its concurrent
 *     phases
 * @param gcCpuMs processor time of the collector's threads, and of the one that runs what a
 *     collection does alone, which has little else to do: rather too much
 * @param readBytes from disks
 * @param writtenBytes to disks, those too that were still to be written at its end
 * @param peakRssBytes most memory that was resident, mapped files and shared memory too
 */
public record ProcessCosts(
    long wallMs,
    long cpuMs,
    long gcMs,
    long gcCpuMs,
    long readBytes,
    long writtenBytes,
    long peakRssBytes) {

  /** What {@link MeasuredMain} has written. */
  static ProcessCosts read(Path file, long wallMs) throws IOException {
    Properties costs = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      costs.load(in);
    }
    return new ProcessCosts(
        wallMs,
        Long.parseLong(costs.getProperty("cpuMs")),
        Long.parseLong(costs.getProperty("gcMs")),
        Long.parseLong(costs.getProperty("gcCpuMs")),
        Long.parseLong(costs.getProperty("readBytes")),
        Long.parseLong(costs.getProperty("writtenBytes")),
        Long.parseLong(costs.getProperty("peakRssKb")) << 10);
  }
}
