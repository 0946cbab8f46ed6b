package io.sluice.local.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Hadoop's own tests of jobs in one process, as Hadoop published them, each class one test here.
 * {@code hadoops-own-tests.txt} lists them, and the methods that cannot hold here with the reason
 * of each. One of those that holds nevertheless fails its class: its reason is no longer true.
 */
abstract class HadoopsOwnTest {
  private static final String MOST_TIME = "180 s";
  private static final String TABLE = "/hadoops-own-tests.txt";
  private static final String[] DIRECTORIES = {
    "test.build.data", "test.build.dir", "hadoop.tmp.dir"
  };
  private static final Map<String, String> BEFORE = new TreeMap<>();

  @TempDir static Path directory;

  @BeforeAll
  static void begin() {
    for (String key : DIRECTORIES) {
      BEFORE.put(key, System.getProperty(key, ""));
      System.setProperty(key, directory.resolve(key).toString());
    }
    InsteadOfStock.set(true);
  }

  @AfterAll
  static void end() {
    InsteadOfStock.set(false);
    BEFORE.forEach(
        (key, value) -> {
          if (value.isEmpty()) {
            System.clearProperty(key);
          } else {
            System.setProperty(key, value);
          }
        });
  }

  private final String packages;

  /** Of those whose names match. */
  HadoopsOwnTest(String packages) {
    this.packages = packages;
  }

  private static Map<String, Set<String>> table() throws IOException {
    try (InputStream in = HadoopsOwnTest.class.getResourceAsStream(TABLE)) {
      Map<String, Set<String>> excluded = new TreeMap<>();
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        if (line.isBlank() || line.startsWith("#")) {
          continue;
        }
        String[] parts = line.split("\\s+", 2);
        String[] names = parts[0].split("#", 2);
        Set<String> ofClass = excluded.computeIfAbsent(names[0], name -> new LinkedHashSet<>());
        if (names.length > 1) {
          assertTrue(parts.length > 1, () -> parts[0] + " is excluded without a reason");
          ofClass.add(names[1]);
        }
      }
      return excluded;
    }
  }

  @TestFactory
  Stream<DynamicTest> eachOfThemHolds() throws IOException {
    return table().entrySet().stream()
        .filter(each -> each.getKey().matches(packages))
        .map(
            each ->
                DynamicTest.dynamicTest(
                    each.getKey(), () -> assertHolds(each.getKey(), each.getValue())));
  }

  private static void assertHolds(String name, Set<String> excluded) throws Exception {
    Outcome outcome = new Outcome();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(name))
            .configurationParameter("junit.jupiter.execution.timeout.default", MOST_TIME)
            .configurationParameter(
                "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
            .build();
    LauncherFactory.create().execute(request, outcome);
    assertTrue(outcome.run > 0, () -> "no test of " + name + " ran");
    AssertionError failure = new AssertionError(outcome.failures.keySet() + " of " + name);
    outcome.failures.forEach(
        (method, why) -> {
          if (!excluded.contains(method)) {
            failure.addSuppressed(why);
          }
        });
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
    Set<String> unexpected = new TreeSet<>(excluded);
    unexpected.removeAll(outcome.failures.keySet());
    assertEquals(Set.of(), unexpected, "excluded, but they hold");
  }

  /** By method. */
  private static final class Outcome implements TestExecutionListener {
    private final Map<String, Throwable> failures = new TreeMap<>();
    private int run;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      run += test.isTest() ? 1 : 0;
      if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
        String method =
            test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName())
                .orElse(test.getDisplayName());
        failures.put(
            method, result.getThrowable().orElseGet(() -> new AssertionError("aborted " + method)));
      }
    }
  }
}
