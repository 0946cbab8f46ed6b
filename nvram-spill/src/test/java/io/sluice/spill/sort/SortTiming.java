package io.sluice.spill.sort;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Times collect, sort and gather by hand; no test. Arguments: {@code tera|words FILE|urls},
 * records, partitions, rounds.
 */
final class SortTiming {
  private SortTiming() {}

  public static void main(String[] args) throws Exception {
    int records = Integer.parseInt(args[1]);
    int partitions = Integer.parseInt(args[2]);
    int rounds = Integer.parseInt(args[3]);
    byte[] input;
    int[] keyLengths = new int[records];
    int valueLength;
    Random random = new Random(42);
    if (args[0].equals("tera")) {
      input = new byte[records * 100];
      random.nextBytes(input);
      Arrays.fill(keyLengths, 10);
      valueLength = 90;
    } else {
      byte[][] words = new byte[records][];
      valueLength = 4;
      int total = 0;
      String[] text =
          args[0].equals("urls")
              ? null
              : Files.readString(Path.of(args[4]), StandardCharsets.ISO_8859_1).split("\\s+");
      for (int i = 0; i < records; i++) {
        String word =
            text == null
                ? "http://www.example.org/page/" + random.nextInt(1_000_000)
                : text[i % text.length];
        words[i] = word.getBytes(StandardCharsets.ISO_8859_1);
        keyLengths[i] = words[i].length;
        total += words[i].length + valueLength;
      }
      input = new byte[total];
      int at = 0;
      for (byte[] word : words) {
        System.arraycopy(word, 0, input, at, word.length);
        at += word.length + valueLength;
      }
    }
    KeyOrder order = new BytewiseOrder();
    SortChunks pool = new SortChunks(1200L << 20, 1 << 20);
    RecordBuffer buffer = new RecordBuffer(pool, partitions, order);
    ByteBuffer out = ByteBuffer.allocateDirect(64 << 20);
    for (int i = 0; i < out.capacity(); i += 4096) {
      out.put(i, (byte) 1);
    }
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      int offset = 0;
      for (int i = 0; i < records; i++) {
        int length = keyLengths[i];
        int partition = partitions == 1 ? 0 : (input[offset + length - 1] & 0xff) % partitions;
        if (!buffer.append(input, offset, length, valueLength, partition)) {
          throw new IllegalStateException("full at " + i);
        }
        offset += length + valueLength;
      }
      long collected = System.nanoTime();
      SortedRecords sorted = buffer.sort();
      long sortedAt = System.nanoTime();
      for (int p = 0; p < partitions; p++) {
        int position = sorted.firstOf(p);
        int end = sorted.endOf(p);
        while (position < end) {
          position = sorted.copyEncoded(position, end, out);
          if (position < end) {
            out.clear();
          }
        }
      }
      long gathered = System.nanoTime();
      System.out.printf(
          "%s round %d: %d records, %d MB: collect %.1f ms, sort %.1f ms, gather %.1f ms%n",
          args[0],
          round,
          buffer.recordCount(),
          buffer.dataBytes() >> 20,
          (collected - start) / 1e6,
          (sortedAt - collected) / 1e6,
          (gathered - sortedAt) / 1e6);
      buffer.reset();
      out.clear();
    }
    buffer.close();
    pool.close();
  }
}
