package io.sluice.it.local;

import java.io.IOException;
import java.io.Writer;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Runs another program's main method, and writes down at the process's end what it took. It uses
 * nothing but the JDK and its own package, since it runs on that program's class path.
 */
public final class MeasuredMain {
  private MeasuredMain() {}

  /** The file to write, the class, and its arguments. */
  public static void main(String[] arguments) throws Throwable {
    Path file = Path.of(arguments[0]);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
    try {
      Class.forName(arguments[1])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(arguments, 2, arguments.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void write(Path file) {
    var machine =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Properties costs = new Properties();
    long gcMs =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
            .sum();
    try {
      costs.setProperty("cpuMs", Long.toString(machine.getProcessCpuTime() / 1_000_000));
      costs.setProperty("gcMs", Long.toString(gcMs));
      costs.setProperty("gcCpuMs", Long.toString(CollectorThreads.cpuMs()));
      costs.setProperty("readBytes", number("/proc/self/io", "read_bytes:"));
      costs.setProperty("writtenBytes", number("/proc/self/io", "write_bytes:"));
      costs.setProperty("peakRssKb", number("/proc/self/status", "VmHWM:"));
      try (Writer out = Files.newBufferedWriter(file)) {
        costs.store(out, null);
      }
    } catch (IOException e) {
      e.printStackTrace(); // whoever wants the file says that it is not there
    }
  }

  private static String number(String file, String name) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(name.length()).replace("kB", "").trim())
          .findFirst()
          .orElseThrow(() -> new IOException(file + " has no " + name));
    }
  }
}
