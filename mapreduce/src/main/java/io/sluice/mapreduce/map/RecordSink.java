package io.sluice.mapreduce.map;

import java.io.IOException;

/** Takes the records that a combiner emits, one after the other. */
@FunctionalInterface
interface RecordSink {
  /**
   * Takes a record.
   *
   * @param record key and value from its beginning on; it is reused afterwards
   */
  void append(byte[] record, int keyLength, int valueLength) throws IOException;
}
