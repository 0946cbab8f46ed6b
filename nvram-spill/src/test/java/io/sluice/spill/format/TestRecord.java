package io.sluice.spill.format;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A record of the tests' oracles. */
public record TestRecord(int partition, byte[] key, byte[] value) {

  /** Key and value one after the other. */
  public byte[] keyValue() {
    byte[] both = Arrays.copyOf(key, key.length + value.length);
    System.arraycopy(value, 0, both, key.length, value.length);
    return both;
  }

  /** The record as a run has it. */
  public byte[] encoded() {
    byte[] bytes = new byte[(int) RecordFormat.encodedLength(key.length, value.length)];
    int body = RecordFormat.putHeader(bytes, 0, key.length, value.length);
    System.arraycopy(keyValue(), 0, bytes, body, key.length + value.length);
    return bytes;
  }

  /** A whole run of records. */
  public static byte[] run(List<TestRecord> records) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (TestRecord record : records) {
      out.writeBytes(record.encoded());
    }
    out.write(0xff);
    out.write(0xff);
    return out.toByteArray();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TestRecord that
        && partition == that.partition
        && Arrays.equals(key, that.key)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key) * 31 + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return partition + ":" + HexFormat.of().formatHex(key) + "=" + value.length + " bytes";
  }
}
