package io.sluice.bench.micro;

import io.sluice.bench.ArrayInput;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to encrypt a run, for each MB and for the first 32 MB of a young JVM, beside its CRCs
 * and beside the cipher with which stock encrypts its spills.
 */
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CipherBenchmark {
  private static final int BYTES = 1_000_000;
  private static final int YOUNG_MB = 32;
  private static final OutputId OUTPUT = new OutputId("application_1", "attempt_1");

  /** A key and a run, both ways. */
  @State(Scope.Benchmark)
  public static class Run {
    @Param({"128", "256"})
    public int keyBits;

    private final byte[] plain = new byte[BYTES];
    private final byte[] stored = new byte[(int) RunEncryptor.storedBytes(BYTES)];
    private final byte[] out = new byte[BYTES];
    private ShuffleKey job;
    private OutputKey writer;
    private OutputKey again;
    private int filled;

    /** Encrypts it. */
    @Setup
    public void encrypt() throws IOException {
      new Random(1).nextBytes(plain);
      job = new ShuffleKey(new byte[16], OUTPUT.applicationId(), keyBits);
      writer = job.newOutput(OUTPUT, 1);
      again = job.newOutput(OUTPUT, 1);
      encrypt(writer);
    }

    /** Closes the keys. */
    @TearDown
    public void close() {
      writer.close();
      again.close();
      job.close();
    }

    int encrypt(OutputKey key) throws IOException {
      RunEncryptor encryptor = new RunEncryptor(key, this::take);
      filled = 0;
      encryptor.beginRun(0);
      encryptor.write(plain, 0, plain.length);
      encryptor.endRun();
      return filled;
    }

    private void take(byte[] bytes, int offset, int length) {
      System.arraycopy(bytes, offset, stored, filled, length);
      filled += length;
    }
  }

  @Benchmark
  public int encrypt(Run run) throws IOException {
    return run.encrypt(run.again);
  }

  /** Always the first run of its writer. */
  @State(Scope.Benchmark)
  public static class First {
    private byte[] stored;

    /** Keeps what the other benchmark would overwrite. */
    @Setup
    public void keep(Run run) {
      stored = run.stored.clone();
    }
  }

  @Benchmark
  public int decrypt(Run run, First first) throws IOException {
    try (RunInput input =
        new DecryptedRunInput(
            "run",
            new ArrayInput(first.stored),
            first.stored.length,
            run.job.reading(OUTPUT),
            0,
            0)) {
      int read = 0;
      for (int n = 0; n >= 0; n = input.read(run.out, read, Math.max(1, BYTES - read))) {
        read += n;
      }
      return read;
    }
  }

  @Benchmark
  public int crc32c(Run run) {
    CRC32C crc = new CRC32C();
    for (int at = 0; at < BYTES; at += BlockChecksums.BLOCK_BYTES) {
      crc.reset();
      crc.update(run.plain, at, Math.min(BlockChecksums.BLOCK_BYTES, BYTES - at));
    }
    return (int) crc.getValue();
  }

  /** As {@code JceAesCtrCryptoCodec} uses it, in blocks of 128 KiB. */
  @Benchmark
  public int stockCtr(Run run) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
    cipher.init(
        Cipher.ENCRYPT_MODE,
        new SecretKeySpec(new byte[run.keyBits / 8], "AES"),
        new IvParameterSpec(new byte[16]));
    int done = 0;
    while (done < BYTES) {
      done += cipher.update(run.plain, done, Math.min(128 << 10, BYTES - done), run.out, done);
    }
    return done;
  }

  @Benchmark
  @Fork(10)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  @BenchmarkMode(Mode.SingleShotTime)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public int encryptInAYoungJvm(Run run) throws IOException {
    int bytes = 0;
    for (int mb = 0; mb < YOUNG_MB; mb++) {
      bytes += run.encrypt(run.again);
    }
    return bytes;
  }

  @Benchmark
  @Fork(10)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  @BenchmarkMode(Mode.SingleShotTime)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public int decryptInAYoungJvm(Run run, First first) throws IOException {
    int bytes = 0;
    for (int mb = 0; mb < YOUNG_MB; mb++) {
      bytes += decrypt(run, first);
    }
    return bytes;
  }

  @Benchmark
  @Fork(10)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  @BenchmarkMode(Mode.SingleShotTime)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public int stockCtrInAYoungJvm(Run run) throws GeneralSecurityException {
    int bytes = 0;
    for (int mb = 0; mb < YOUNG_MB; mb++) {
      bytes += stockCtr(run);
    }
    return bytes;
  }

  /** Runs of a few hundred bytes, as a shuffle of many tasks has, each of another output or not. */
  @State(Scope.Benchmark)
  public static class SmallRuns {
    private static final int SMALL_BYTES = 250;

    @Param({"1", "1000"})
    public int outputs;

    private final List<OutputId> ids = new ArrayList<>();
    private final List<byte[]> runs = new ArrayList<>();
    private final byte[] out = new byte[SMALL_BYTES];
    private ShuffleKey job;
    private int next;

    /** Encrypts one of each output. */
    @Setup
    public void encrypt() throws IOException {
      job = new ShuffleKey(new byte[16], OUTPUT.applicationId(), 128);
      for (int i = 0; i < outputs; i++) {
        OutputId id = new OutputId(OUTPUT.applicationId(), "attempt_" + i);
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        try (OutputKey writer = job.newOutput(id, 1)) {
          RunEncryptor encryptor = new RunEncryptor(writer, stored::write);
          encryptor.beginRun(0);
          encryptor.write(out, 0, SMALL_BYTES);
          encryptor.endRun();
        }
        ids.add(id);
        runs.add(stored.toByteArray());
      }
    }

    /** Closes the key. */
    @TearDown
    public void close() {
      job.close();
    }
  }

  @Benchmark
  public int decryptSmall(SmallRuns small) throws IOException {
    small.next = (small.next + 1) % small.outputs;
    byte[] stored = small.runs.get(small.next);
    try (DecryptedRunInput run =
        new DecryptedRunInput(
            "run",
            new ArrayInput(stored),
            stored.length,
            small.job.reading(small.ids.get(small.next)),
            0,
            0)) {
      int n = run.read(small.out, 0, small.out.length);
      return run.read(small.out, 0, 1) + n;
    }
  }
}
