package io.sluice.it.jobs;

import java.io.IOException;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;

/**
 * What is written about records, so that outputs can be compared as lines of text: keys as the hex
 * of their serialized bytes, long values as length and hash.
 */
final class RecordText {
  private static final int LONGEST_PLAIN_VALUE_BYTES = 32;

  private RecordText() {}

  static Text key(Writable key) throws IOException {
    DataOutputBuffer serialized = new DataOutputBuffer();
    key.write(serialized);
    return new Text(
        "k" + HexFormat.of().formatHex(serialized.getData(), 0, serialized.getLength()));
  }

  static Text value(Writable value) {
    if (value instanceof LongWritable number) {
      return new Text(number.toString());
    }
    BytesWritable bytes = (BytesWritable) value;
    return new Text(
        bytes.getLength() <= LONGEST_PLAIN_VALUE_BYTES
            ? "v" + HexFormat.of().formatHex(bytes.getBytes(), 0, bytes.getLength())
            : "length=%d crc=%x".formatted(bytes.getLength(), crc(bytes)));
  }

  private static long crc(BytesWritable bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.getBytes(), 0, bytes.getLength());
    return crc.getValue();
  }
}
