package io.sluice.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Each benchmark once, with little to do: that it runs, not how long it takes. */
class MicroBenchmarksTest {
  @TempDir private Path directory;

  @Test
  void eachRuns() throws Exception {
    Options once =
        new OptionsBuilder()
            .include(MicroBenchmarks.class.getPackageName())
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(10))
            .param("records", "1000")
            .param("partitions", "4")
            .param("runs", "4")
            .param("outputBytes", "1000000")
            .param("keyBits", "256")
            .param("parent", directory.toString())
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = new Runner(once).run();
    String page = MicroBenchmarks.page(results).toText();
    assertTrue(page.contains("Merge.merge"), page);
    assertEquals(
        Set.of(
            "BufferBenchmark.maps",
            "CipherBenchmark.encrypt",
            "CipherBenchmark.decrypt",
            "CipherBenchmark.decryptSmall",
            "CipherBenchmark.crc32c",
            "CipherBenchmark.stockCtr",
            "CipherBenchmark.encryptInAYoungJvm",
            "CipherBenchmark.decryptInAYoungJvm",
            "CipherBenchmark.stockCtrInAYoungJvm",
            "SortBenchmark.collect",
            "SortBenchmark.sort",
            "SortBenchmark.gather",
            "MergeBenchmark.merge",
            "WriterBenchmark.write",
            "WriterBenchmark.commit"),
        results.stream()
                .map(result -> result.getParams().getBenchmark())
                .map(name -> name.replace(MicroBenchmarks.class.getPackageName() + ".", ""))
                .collect(Collectors.toSet()));
  }
}
