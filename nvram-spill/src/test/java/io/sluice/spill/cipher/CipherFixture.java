package io.sluice.spill.cipher;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** A job's key, its output, and runs in arrays. */
final class CipherFixture {
  static final OutputId OUTPUT = new OutputId("application_1_0001", "attempt_1_0001_m_000003_0");
  static final int PARTITIONS = 5;

  private CipherFixture() {}

  static ShuffleKey key() {
    return key("a secret of a job");
  }

  static ShuffleKey key(String secret) {
    return new ShuffleKey(secret.getBytes(StandardCharsets.UTF_8), OUTPUT.applicationId(), 128);
  }

  static byte[] encrypt(OutputKey key, int partition, byte[] plain) throws IOException {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    RunEncryptor encryptor = new RunEncryptor(key, stored::write);
    encryptor.beginRun(partition);
    encryptor.write(plain, 0, plain.length);
    encryptor.endRun();
    return stored.toByteArray();
  }

  /** Reads in pieces of up to {@code most} bytes. */
  static byte[] drain(RunInput input, int most, Random random) throws IOException {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    drain(input, most, random, plain);
    return plain.toByteArray();
  }

  static void drain(RunInput input, int most, Random random, ByteArrayOutputStream plain)
      throws IOException {
    byte[] dst = new byte[most];
    try (input) {
      int n;
      while ((n = input.read(dst, 0, 1 + random.nextInt(most))) >= 0) {
        plain.write(dst, 0, n);
      }
    }
  }

  /** An input over an array, that brings as much as it is asked for. */
  static final class ArrayInput implements RunInput {
    private final byte[] bytes;
    private int at;

    ArrayInput(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      int n = Math.min(lengthBytes, bytes.length - at);
      System.arraycopy(bytes, at, dst, offset, n);
      at += n;
      return n == 0 && lengthBytes > 0 ? -1 : n;
    }

    @Override
    public long remainingBytes() {
      return bytes.length - at;
    }

    @Override
    public void close() {}
  }
}
