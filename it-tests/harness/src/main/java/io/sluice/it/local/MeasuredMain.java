package io.sluice.it.local;

import java.io.IOException;
import java.io.Writer;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
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
      e.printStackTrace(); // the reader of the file says that it is missing
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

  /**
   * The threads of this process's garbage collector, by the names that HotSpot gives them: its
   * workers, those of G1, and the thread that runs what a collection does alone.
   */
  static final class CollectorThreads {
    private static final Pattern NAME = Pattern.compile("GC Thread#.*|G1 .*|VM Thread");
    private static final long MS_OF_TICK = 10; // what Linux shows times in, on every machine
    private static final int USER_TICKS = 11; // fields behind the name in brackets
    private static final int SYSTEM_TICKS = 12;

    private CollectorThreads() {}

    /** Their processor time until now, each rounded down to 10 ms. */
    static long cpuMs() throws IOException {
      List<Path> threads;
      try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
        threads = all.toList();
      }
      long cpuMs = 0;
      for (Path thread : threads) {
        try {
          cpuMs += cpuMs(Files.readString(thread.resolve("stat")));
        } catch (IOException e) {
          if (Files.exists(thread)) {
            throw e;
          }
          continue; // ended meanwhile, maybe after it was opened; the collector's do not
        }
      }
      return cpuMs;
    }

    /** That of a thread, or 0 if it is not the collector's. */
    static long cpuMs(String stat) {
      int nameEnd = stat.lastIndexOf(')');
      if (!NAME.matcher(stat.substring(stat.indexOf('(') + 1, nameEnd)).matches()) {
        return 0;
      }
      String[] fields = stat.substring(nameEnd + 2).split(" ");
      return MS_OF_TICK
          * (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]));
    }
  }
}
