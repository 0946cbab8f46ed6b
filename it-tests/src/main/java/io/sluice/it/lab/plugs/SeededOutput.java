package io.sluice.it.lab.plugs;

import io.sluice.spill.format.OutputId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An output whose every byte follows from a few numbers, so that it can be compared after its
 * writer is gone.
 *
 * @param number unique among all outputs
 * @param application that it is freed with
 * @param seed of its bytes
 * @param partitions of its job
 * @param sizeBytes of all runs, about
 */
record SeededOutput(int number, String application, long seed, int partitions, int sizeBytes) {
  /**
   * The bytes of one spill for one partition.
   *
   * @param partition it is for
   * @param lengthBytes more than 0
   * @param seed of its bytes
   */
  record Piece(int partition, int lengthBytes, long seed) {
    /** All its bytes; not SplittableRandom's own, because an emulated processor is slow. */
    byte[] bytes() {
      byte[] bytes = new byte[lengthBytes];
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      long word = seed;
      while (buffer.remaining() >= Long.BYTES) {
        word = word * 6364136223846793005L + 1442695040888963407L; // Knuth, MMIX
        buffer.putLong(word ^ (word >>> 29));
      }
      while (buffer.hasRemaining()) {
        buffer.put((byte) (word >>> buffer.remaining()));
      }
      return bytes;
    }
  }

  /** A new one of 0.1 to 3 MB. */
  static SeededOutput random(int number, String application, SplittableRandom random) {
    int sizeBytes = random.nextInt(100_000, 3_000_000);
    return new SeededOutput(
        number, application, random.nextLong(), random.nextInt(2, 17), sizeBytes);
  }

  OutputId id() {
    return new OutputId(application, "attempt_" + number);
  }

  /** Its runs in the order they are written: one or two spills, some partitions left out. */
  List<Piece> pieces() {
    SplittableRandom random = new SplittableRandom(seed);
    List<Piece> pieces = new ArrayList<>();
    int spills = 1 + random.nextInt(2);
    int mostBytes = 2 * sizeBytes / spills / partitions;
    for (int spill = 0; spill < spills; spill++) {
      for (int partition = 0; partition < partitions; partition++) {
        if (pieces.isEmpty() || random.nextInt(4) > 0) {
          pieces.add(new Piece(partition, random.nextInt(1, mostBytes + 1), random.nextLong()));
        }
      }
    }
    return pieces;
  }

  /** As words of a line of the ledger. */
  String toLine() {
    return "%d %s %d %d %d".formatted(number, application, seed, partitions, sizeBytes);
  }

  /** From words of a line of the ledger. */
  static SeededOutput of(String[] words, int first) {
    return new SeededOutput(
        Integer.parseInt(words[first]),
        words[first + 1],
        Long.parseLong(words[first + 2]),
        Integer.parseInt(words[first + 3]),
        Integer.parseInt(words[first + 4]));
  }
}
