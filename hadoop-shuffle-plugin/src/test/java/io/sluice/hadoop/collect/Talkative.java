package io.sluice.hadoop.collect;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;

/** Serializes itself by every method that there is. */
public final class Talkative implements Writable {
  private int number;

  /** For deserialization. */
  public Talkative() {}

  Talkative(int number) {
    this.number = number;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.write(number);
    out.write(new byte[] {1, 2, 3});
    out.write(new byte[] {1, 2, 3}, 1, 1);
    out.writeBoolean(number > 0);
    out.writeByte(number);
    out.writeShort(number);
    out.writeChar(number);
    out.writeInt(number);
    out.writeLong(number);
    out.writeFloat(number);
    out.writeDouble(number);
    out.writeBytes("bytes");
    out.writeChars("chars");
    out.writeUTF("ü".repeat((number & 0x3ff) + 1));
  }

  @Override
  public void readFields(DataInput in) {
    throw new UnsupportedOperationException("only ever written");
  }
}
