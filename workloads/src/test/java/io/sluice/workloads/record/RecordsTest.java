package io.sluice.workloads.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.workloads.input.Zipf;
import io.sluice.workloads.record.RecordInput.RecordBytes;
import io.sluice.workloads.record.RecordInput.RecordSum;
import io.sluice.workloads.run.LocalRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsTest {
  private static final int RECORDS = 1_000;

  @TempDir private Path directory;

  private static BytesWritable part(byte[] record, int from, int length) {
    return new BytesWritable(java.util.Arrays.copyOfRange(record, from, from + length));
  }

  /** What the records are after so many jobs: each moves the first ten bytes to the end. */
  private static String expected(int rotations) {
    RecordSum sum = new RecordSum();
    RecordBytes records = new RecordBytes(1, null);
    BytesWritable key = new BytesWritable();
    BytesWritable value = new BytesWritable();
    for (int number = 0; number < RECORDS; number++) {
      records.make(number, key, value);
      byte[] whole = new byte[RecordBytes.LENGTH_BYTES];
      for (int i = 0; i < whole.length; i++) {
        int from = (i + 10 * rotations) % whole.length;
        whole[i] = from < 10 ? key.getBytes()[from] : value.getBytes()[from - 10];
      }
      sum.add(part(whole, 0, 10), part(whole, 10, 90));
    }
    return RECORDS + " " + sum.sum();
  }

  private List<String[]> lines(String times) throws IOException {
    return Files.readAllLines(directory.resolve(times)).stream()
        .map(line -> line.split("\t"))
        .toList();
  }

  @Test
  void aChainSortsByTheNextBytesInEachJob() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateRecords(), Integer.toString(RECORDS), runs.path("records"));
    runs.run(
        new SortChain(),
        "-Dworkloads.sortchain.check=true",
        runs.path("records"),
        runs.path("sorted"),
        "3",
        runs.path("times"));
    List<String[]> lines = lines("times");
    assertEquals(
        List.of("job 1", "job 2", "job 3", "check"), lines.stream().map(line -> line[0]).toList());
    assertEquals(Integer.toString(RECORDS), lines.get(0)[3]);
    assertEquals(expected(3), lines.get(3)[3]);
    assertTrue(Long.parseLong(lines.get(0)[1]) > 0);
  }

  @Test
  void whatIsNotInOrderIsAnError() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateRecords(), Integer.toString(RECORDS), runs.path("records"));
    Path made = directory.resolve("records");
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                SortChain.sum(new Configuration(), new org.apache.hadoop.fs.Path(made.toString())));
    assertTrue(e.getMessage().endsWith("is not in order"), e.getMessage());
  }

  @Test
  void aShuffleRunsEachValueInTurnAndTheRecordsAreThoseOfItsSeed() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(
        new Shuffle(),
        "-Dworkloads.shuffle.setting=mapreduce.job.name",
        "-Dworkloads.shuffle.values=a,b",
        Integer.toString(RECORDS),
        "4",
        "2",
        "1",
        runs.path("times"));
    List<String[]> lines = lines("times");
    assertEquals(List.of("0 a", "0 b", "1 a", "1 b"), lines.stream().map(line -> line[0]).toList());
    lines.forEach(line -> assertEquals(expected(0), line[3]));
  }

  @Test
  void aRoundIsNeeded() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            ToolRunner.run(
                new Configuration(), new Shuffle(), new String[] {"1", "1", "1", "0", "times"}));
  }

  @Test
  void zipfsKeysAreAsFrequentAsTheirRanks() {
    RecordBytes records = new RecordBytes(1, new Zipf(100, 1));
    Map<BytesWritable, Integer> counts = new HashMap<>();
    for (int number = 0; number < 10_000; number++) {
      BytesWritable key = new BytesWritable();
      records.make(number, key, new BytesWritable());
      counts.merge(key, 1, Integer::sum);
    }
    assertEquals(100, counts.size());
    int most = counts.values().stream().mapToInt(count -> count).max().orElseThrow();
    assertTrue(most > 1_700 && most < 2_200, "1 / H(100) of all is 19 %, found " + most);
  }
}
