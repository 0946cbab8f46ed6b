package io.sluice.workloads.run;

import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Says what each job of a program took, in a local file: a line with the job's name, its time and
 * the processor time of the whole process meanwhile, both in milliseconds, and what came of it;
 * separated by tabs.
 *
 * <p>Thread contract: one thread. Ownership: its user closes it.
 */
public final class PhaseTimes implements AutoCloseable {
  private final Writer out;

  /** Into a new file. */
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
    out.flush(); // a program may end by its process's end
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
