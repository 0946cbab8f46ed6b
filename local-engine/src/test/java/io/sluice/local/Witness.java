package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;

/**
 * What a program can see of whoever runs it: the class of everything that it is given or can ask
 * for, by where it asks.
 */
final class Witness {
  /** What changes what it is asked of. */
  /** The last is set as on a cluster; LocalJobRunner does not set it. */
  private static final Set<String> NOT_ASKED =
      Set.of("getCurrentKey", "getCurrentValue", "getJobLocalDir");

  private static final String APPLICATION_LOADER =
      ClassLoader.getSystemClassLoader().getClass().getName();

  private static final Map<String, Set<String>> SEEN = new TreeMap<>();
  private static final Map<String, String> SETTINGS = new TreeMap<>();

  private Witness() {}

  static synchronized void forget() {
    SEEN.clear();
    SETTINGS.clear();
  }

  static synchronized Map<String, Set<String>> seen() {
    return new TreeMap<>(SEEN);
  }

  /** Of the tasks. */
  static synchronized Map<String, String> settings() {
    return new TreeMap<>(SETTINGS);
  }

  private static synchronized void add(String where, String what) {
    SEEN.computeIfAbsent(where, name -> new TreeSet<>()).add(what);
  }

  /** Looks at what some code of a program was called with. */
  static void look(String where, Object... given) {
    for (int i = 0; i < given.length; i++) {
      String name = where + "(" + i + ")";
      add(name, name(given[i]));
      if (given[i] != null && given[i].getClass().getName().startsWith("org.apache.hadoop.map")) {
        ask(name, given[i]);
      }
      if (given[i] instanceof Configuration conf) {
        askSettings(name, conf);
      }
    }
  }

  private static void askSettings(String name, Configuration conf) {
    ask(name, conf);
    for (String path : new String[] {"file:///", "/"}) {
      try {
        FileSystem files = new Path(path).getFileSystem(conf);
        add(name + " files of " + path, name(files));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void ask(String where, Object whom) {
    for (Method method : whom.getClass().getMethods()) {
      if (method.getParameterCount() > 0
          || !method.getName().startsWith("get")
          || method.getDeclaringClass() == Object.class
          || method.getReturnType().isPrimitive()
          || NOT_ASKED.contains(method.getName())) {
        continue;
      }
      String name = where + "." + method.getName();
      try {
        method.setAccessible(true);
        Object answer = method.invoke(whom);
        add(name, answer instanceof Class<?> of ? "class " + of.getName() : name(answer));
        if (answer instanceof Configuration conf && !(whom instanceof Configuration)) {
          askSettings(name, conf);
        } else if (name.endsWith("getInputSplit") && answer != null) {
          split(name, answer);
        }
      } catch (InvocationTargetException e) {
        add(name, "throws " + name(e.getCause()));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** A split is what it says, writes and answers. */
  private static void split(String name, Object split) {
    add(name + " as text", split.toString());
    if (split instanceof Writable writable) {
      try (DataOutputBuffer out = new DataOutputBuffer()) {
        writable.write(out);
        add(name + " as bytes", HexFormat.of().formatHex(out.getData(), 0, out.getLength()));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
    ask(name, split);
  }

  /**
   * The settings of a task are of a class of their own, and so is the class loader of its slot. So
   * is the file system that a submission writes with, which the old API gives to who checks the
   * output.
   */
  private static String named(String seen) {
    return switch (seen) {
      case "io.sluice.local.count.MeteredConf" -> JobConf.class.getName();
      case "io.sluice.local.loader.SlotLoader" -> APPLICATION_LOADER;
      case "io.sluice.hadoop.local.StagingFileSystem" -> "the submission's";
      default -> seen;
    };
  }

  /**
   * Fails unless all is as it was.
   *
   * @param otherwise where a class of Hadoop that is another will do
   */
  static synchronized void assertSees(Map<String, Set<String>> expected, Set<String> otherwise) {
    assertFalse(expected.isEmpty());
    Set<String> names = new TreeSet<>(expected.keySet());
    names.addAll(SEEN.keySet());
    StringBuilder differences = new StringBuilder();
    for (String name : names) {
      Set<String> is =
          SEEN.getOrDefault(name, Set.of()).stream()
              .map(Witness::named)
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> wanted = expected.getOrDefault(name, Set.of());
      if (otherwise.contains(name)) {
        is.removeIf(of -> !of.startsWith("io.sluice."));
        wanted = new TreeSet<>();
      }
      if (!wanted.equals(is)) {
        differences.append(name).append(": ").append(wanted).append(" is ").append(is).append('\n');
      }
    }
    assertEquals("", differences.toString());
  }

  /** All that a task is set to. */
  static synchronized void keep(Configuration conf) {
    for (Map.Entry<String, String> each : conf) {
      SETTINGS.put(each.getKey(), conf.get(each.getKey()));
    }
  }

  private static String name(Object of) {
    return of == null ? "null" : of.getClass().getName().replaceAll("[$][$]Lambda.*", "lambda");
  }

  /** Looks from a comparator, which is made whenever another looks. */
  static void order(Configuration conf) {
    add("comparator", name(conf));
  }
}
