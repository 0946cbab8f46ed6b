package io.sluice.spill.merge;

/** Delivers as many bytes at once as are asked for. */
final class WholeRunInput implements RunInput {
  private final byte[] bytes;
  private int at;

  WholeRunInput(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) {
    if (at == bytes.length) {
      return -1;
    }
    int count = Math.min(lengthBytes, bytes.length - at);
    System.arraycopy(bytes, at, dst, offset, count);
    at += count;
    return count;
  }

  @Override
  public long remainingBytes() {
    return bytes.length - at;
  }

  @Override
  public void close() {}
}
