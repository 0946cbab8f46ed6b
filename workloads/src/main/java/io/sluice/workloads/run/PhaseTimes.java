package io.sluice.workloads.run;

import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Writes the time of each job of a program to a local file. A line has the job's name, its time,
 * the processor time of the whole process meanwhile, both in milliseconds, and the job's result;
 * tabs separate them.
 *
 * <p>Thread contract: one thread. Ownership: the caller closes it.
 */
public final class PhaseTimes implements AutoCloseable {
  private final Writer out;

  /** Writes to a new file. */
  public PhaseTimes(Path file) throws IOException {
    out = Files.newBufferedWriter(file);
  }

  /** Runs a job, and writes its line. */
  public <T> T measure(String job, Callable<T> work) throws Exception {
    long startNs = System.nanoTime();
    long startCpuNs = cpuNs();
    T result = work.call();
    long wallMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    long cpuMs = TimeUnit.NANOSECONDS.toMillis(cpuNs() - startCpuNs);
    out.write("%s\t%d\t%d\t%s%n".formatted(job, wallMs, cpuMs, result));
    out.flush(); // a program may exit without a close
    return result;
  }

  private static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
