package io.sluice.bench.memory;

/**
 * What the maps of a job hand to its reduces, measured where memory is ample.
 *
 * @param bytes of all map outputs, as stock writes them
 * @param collectedBytes keys and values before any combiner, which a sort buffer has to hold
 * @param records the same, counted
 * @param maps how many make them
 */
public record Intermediate(long bytes, long collectedBytes, long records, int maps) {
  private static final int ACCOUNTING_BYTES = 16; // stock's, of each record in its sort buffer

  /** The sort buffer that takes all of one map's records. */
  long sortBytesOfMap() {
    return (collectedBytes + ACCOUNTING_BYTES * records) / maps;
  }
}
