package io.sluice.bench.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.codecs.MergeProgram.BenchCodec;
import io.sluice.bench.codecs.MergeProgram.MergeCost;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeTask;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeVariant;
import io.sluice.bench.codecs.MergeProgram.MergeRunner;
import io.sluice.bench.codecs.SortedRuns.RunsMerge.RecordsDigest;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench with few records, in this process. */
@Tag("slow")
class CodecsBenchTest {
  private static final int RECORDS = 3_000;
  private static final int FEW = 3; // streams, where a codec has them
  private static final int MANY = 150; // merges before stock's last one

  @TempDir private Path directory;

  private final Console console =
      new Console(new PrintStream(OutputStream.nullOutputStream()), false);

  /** Does a merge here. */
  private class InProcess implements MergeRunner {
    @Override
    public Map<BenchCodec, String> missing() {
      return MergeProgram.missing();
    }

    @Override
    public MergeCost run(MergeTask task) {
      Path files = directory.resolve("merge");
      try {
        return MergeProgram.measure(task, files);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        Workspace.delete(files);
      }
    }
  }

  private CodecsBench bench(List<Integer> maps, BenchCodec... codecs) {
    return new CodecsBench(console, maps, RECORDS, List.of(codecs));
  }

  @Test
  void everyoneMergesTheSameRecordsWithEachCodec() throws IOException {
    Map<BenchCodec, String> missing = MergeProgram.missing();
    bench(List.of(FEW, MANY), BenchCodec.values())
        .run(new InProcess(), "test", 1, new ResultFiles(directory));
    assertTrue(Files.size(directory.resolve("bench-codecs.png")) > 0);
    JsonNode result = new ObjectMapper().readTree(directory.resolve("bench-codecs.json").toFile());
    String page = Files.readString(directory.resolve("bench-codecs.md"));
    for (BenchCodec codec : BenchCodec.values()) {
      if (missing.containsKey(codec)) {
        assertTrue(page.contains(codec.title() + " is left out: " + missing.get(codec)), page);
        continue;
      }
      for (MergeVariant variant : MergeVariant.values()) {
        for (int maps : List.of(FEW, MANY)) {
          String what = maps + " " + variant + " " + codec;
          JsonNode cost =
              result.at("/maps/%d/0/%s/%s".formatted(maps, variant.name(), codec.name()));
          assertEquals(RECORDS, cost.at("/output/records").asInt(), what);
          assertTrue(cost.at("/wallMs").asDouble() > 0, what);
          boolean rewrites = maps == MANY && variant != MergeVariant.SLUICE;
          assertEquals(rewrites, cost.at("/rewrittenRecords").asLong() > 0, what);
          boolean mayBeInChunks = // if the heap is too small for a stream of each run
              maps == MANY && variant == MergeVariant.SLUICE && codec != BenchCodec.NONE;
          assertTrue(mayBeInChunks || cost.at("/chunkBytes").asInt() == 0, what);
          long rawBytes = cost.at("/rawBytes").asLong();
          boolean isSmaller = cost.at("/storedBytes").asLong() < rawBytes;
          assertTrue(maps == MANY || isSmaller == (codec != BenchCodec.NONE), what);
        }
      }
    }
  }

  /** Which no merge here does; a codec whose library is there, so that all of them run. */
  @Test
  void recordsThatDifferFailTheBench() {
    MergeRunner wrong =
        new InProcess() {
          @Override
          public MergeCost run(MergeTask task) {
            long crc32c = task.variant() == MergeVariant.SLUICE ? 1 : 2;
            return new MergeCost(1, 1, 1, 1, 0, 0, new RecordsDigest.Sum(task.records(), crc32c));
          }
        };
    ClusterException e =
        assertThrows(
            ClusterException.class,
            () ->
                bench(List.of(FEW), BenchCodec.NONE)
                    .run(wrong, "test", 1, new ResultFiles(directory)));
    assertTrue(e.getMessage().contains("Round 1, 3 runs, none, Sluice put out"), e.getMessage());
  }

  @Test
  void aCodecThatLacksItsLibraryIsLeftOutByName() throws IOException {
    MergeRunner lacking =
        new InProcess() {
          @Override
          public Map<BenchCodec, String> missing() {
            return Map.of(BenchCodec.SNAPPY, "no library", BenchCodec.LZ4, "nor this one");
          }
        };
    ResultFiles files = new ResultFiles(directory);
    bench(List.of(FEW), BenchCodec.NONE, BenchCodec.SNAPPY).run(lacking, "test", 1, files);
    String page = Files.readString(directory.resolve("bench-codecs.md"));
    assertTrue(page.contains("Snappy is left out: no library"), page);
    assertTrue(!page.contains("LZ4"), "nobody asked for it: " + page);
    assertThrows(
        ClusterException.class,
        () -> bench(List.of(FEW), BenchCodec.SNAPPY).run(lacking, "test", 1, files));
  }

  @Test
  void tooFewRecordsAreRefusedBeforeAnythingIsMerged() {
    MergeRunner idle =
        new InProcess() {
          @Override
          public MergeCost run(MergeTask task) {
            throw new AssertionError(task + " was begun");
          }
        };
    ResultFiles files = new ResultFiles(directory);
    ClusterException e =
        assertThrows(
            ClusterException.class,
            () -> bench(List.of(FEW, RECORDS + 1), BenchCodec.NONE).run(idle, "test", 1, files));
    assertTrue(e.getMessage().contains("too few"), e.getMessage());
  }
}
