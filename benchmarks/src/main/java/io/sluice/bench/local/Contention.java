package io.sluice.bench.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where tasks of the engine waited for each other, from a recording of the JVM's flight recorder.
 */
final class Contention {
  /** The option that has a JVM record every wait, up to the file's name. */
  private static final String RECORDING =
      "-XX:StartFlightRecording:settings=none,maxsize=1g,"
          + event("jdk.JavaMonitorEnter")
          + event("jdk.ThreadPark")
          + "filename=";

  private static final Pattern TASK_THREAD = Pattern.compile("sluice-(map|reduce|sort) job_.*");
  private static final Pattern JDK_FRAME = Pattern.compile("java\\..*|jdk\\..*|sun\\..*");
  private static final Pattern LOCK = Pattern.compile(".*(ReentrantLock|ReadWriteLock)\\$.*");

  private Contention() {}

  /**
   * A place.
   *
   * @param lock the class of what is waited for
   * @param method the first method on the stack that is not the JDK's
   * @param isLock whether that is a lock that another holds, and not a wait for another's work
   * @param count how often
   * @param waitedMs for how long, of all threads together
   */
  record Point(String lock, String method, boolean isLock, long count, double waitedMs) {
    private Point plus(Point other) {
      return new Point(lock, method, isLock, count + other.count, waitedMs + other.waitedMs);
    }
  }

  private static String event(String name) {
    return "+%1$s#enabled=true,+%1$s#threshold=0ns,+%1$s#stackTrace=true,".formatted(name);
  }

  /** The option with which a JVM records. */
  static String recordInto(Path file) {
    return RECORDING + file;
  }

  /** All places, the one with the longest waits first. */
  static List<Point> read(Path recording) {
    Map<String, Point> points = new HashMap<>();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getThread() != null
            && event.getThread().getJavaName() != null
            && TASK_THREAD.matcher(event.getThread().getJavaName()).matches()) {
          Point point = point(event);
          points.merge(point.lock() + " " + point.method(), point, Point::plus);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the recording " + recording, e);
    }
    return points.values().stream()
        .sorted(Comparator.comparingDouble(Point::waitedMs).reversed())
        .toList();
  }

  private static Point point(RecordedEvent event) {
    boolean isMonitor = event.hasField("monitorClass");
    RecordedClass of = event.getClass(isMonitor ? "monitorClass" : "parkedClass");
    String lock = of == null ? "no lock" : of.getName();
    return new Point(
        lock,
        method(event.getStackTrace()),
        isMonitor || LOCK.matcher(lock).matches(),
        1,
        millis(event.getDuration()));
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }

  private static String method(RecordedStackTrace stack) {
    if (stack == null) {
      return "unknown";
    }
    for (RecordedFrame frame : stack.getFrames()) {
      String type = frame.getMethod().getType().getName();
      if (!JDK_FRAME.matcher(type).matches()) {
        return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethod().getName();
      }
    }
    return "the JDK's own";
  }

  /**
   * Which share of a task's time is under the lock that is waited for most, estimated from two
   * threads: each finds the other in it as often as that is its share, and then waits for about as
   * long as it would hold it itself, so they wait for the square of the share.
   *
   * @param workMs what all tasks did meanwhile
   */
  static double lockShare(List<Point> points, double workMs) {
    double mostMs =
        points.stream().filter(Point::isLock).mapToDouble(Point::waitedMs).max().orElse(0);
    return Math.min(1, Math.sqrt(mostMs / workMs));
  }
}
