package io.sluice.bench.micro;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Each benchmark once, with little to do: that it runs, not how long it takes. */
@Tag("slow")
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
            .param("blocks", "3")
            .param("runs", "4")
            .param("outputBytes", "1000000")
            .param("lengthBytes", "100000")
            .param("rangeBytes", "4096")
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
            "LeaseBenchmark.leaseAndRelease",
            "LeaseBenchmark.openAndClose",
            "LimitBenchmark.checksum",
            "LimitBenchmark.copy",
            "LimitBenchmark.copyInOrder",
            "LimitBenchmark.copyToNewMemory",
            "LimitBenchmark.radixSort",
            "SendfileBenchmark.send",
            "TransportBenchmark.read",
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

  @ParameterizedTest
  @EnumSource
  void recordsOfEachKindFillALength(RecordKind kind) {
    RecordKind.Records records = kind.make(100_000);
    int bytes = IntStream.of(records.keyBytes()).map(key -> key + records.valueBytes()).sum();
    assertTrue(bytes <= 100_000 && bytes > 98_000, bytes + " bytes");
    assertEquals(kind != RecordKind.COMPARED, kind.order().hasPrefix());
    assertArrayEquals(records.bytes(), kind.make(100_000).bytes());
  }

  @Test
  void theRadixSortSorts() {
    Random random = new Random(1);
    long[] keys = random.longs(10_000).toArray();
    long[] sorted = IntStream.of(LimitBenchmark.sorted(keys)).mapToLong(i -> keys[i]).toArray();
    long[] expected =
        LongStream.of(keys).boxed().sorted(Long::compareUnsigned).mapToLong(i -> i).toArray();
    assertArrayEquals(expected, sorted);
  }
}
