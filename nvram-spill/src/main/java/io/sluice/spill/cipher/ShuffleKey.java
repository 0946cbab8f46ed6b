package io.sluice.spill.cipher;

import io.sluice.spill.format.OutputId;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What all keys of a job's shuffle come from. Every task of the job makes the same of the same
 * secret, and nobody else can.
 *
 * <pre>
 *   PRK        = HKDF-Extract("sluice shuffle 1", secret)
 *   output key = HKDF-Expand(PRK, "output", length and bytes of application and output id, salt)
 *   marker     = HKDF-Expand(PRK, "marker", length and bytes of the application)
 * </pre>
 *
 * <p>No nonce depends on luck: it is counted ({@link RunLayout}), and the salt, which is drawn,
 * only tells apart writers of one output.
 *
 * <p>Thread contract: safe from any thread. Ownership: the task's collector or shuffle closes it,
 * which makes it zero; keys that were made of it stay good. Failure: {@link IllegalStateException}
 * when it is used after that, and at once in a JVM that cannot encrypt ({@link AesGcm}).
 */
public final class ShuffleKey implements Closeable {
  private static final byte[] PURPOSE = "sluice shuffle 1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OUTPUT = "output".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] MARKER = "marker".getBytes(StandardCharsets.US_ASCII);
  private static final int SHORT_KEY_BYTES = 16;
  private static final int LONG_KEY_BYTES = 32;

  private final RawKey prk;
  private final byte[] marker;
  private final String applicationId;
  private final int keyBytes;
  private final SecureRandom random = new SecureRandom();
  private final CipherStats stats = new CipherStats();
  private final IdleCiphers idle = new IdleCiphers();

  /**
   * Keys for an application.
   *
   * @param secret of all its tasks, and of nobody else; it stays the caller's
   * @param keyBits that the job asks for: AES has 128 up to that many, and 256 beyond
   */
  public ShuffleKey(byte[] secret, String applicationId, int keyBits) {
    AesGcm.provider(); // before a task has done anything that would be lost
    this.prk = Hkdf.extract(PURPOSE, secret);
    this.applicationId = applicationId;
    this.keyBytes = keyBits > 8 * SHORT_KEY_BYTES ? LONG_KEY_BYTES : SHORT_KEY_BYTES;
    this.marker = Hkdf.expand(prk, info(MARKER, applicationId), RunLayout.MARKER_BYTES);
  }

  /** For a new writer of an output of so many partitions. */
  public OutputKey newOutput(OutputId id, int partitions) {
    requireOwn(id);
    byte[] salt = salt();
    return new OutputKey(marker, salt, derive(id, salt), partitions, stats);
  }

  /** For runs of one partition that only this process reads, and that nothing else decrypts. */
  public OutputKey newScratch() {
    byte[] key = new byte[keyBytes];
    random.nextBytes(key);
    return new OutputKey(marker, salt(), new RawKey(key, "AES"), 1, stats);
  }

  private byte[] salt() {
    byte[] salt = new byte[RunLayout.SALT_BYTES];
    random.nextBytes(salt);
    return salt;
  }

  /** For reading the runs of an output, whichever of its writers wrote them. */
  public RunKey reading(OutputId id) {
    requireOwn(id);
    return new RunKey(stats) {
      @Override
      FrameCipher open(String run, byte[] runMarker, byte[] salt) throws ForgedRunException {
        if (!Arrays.equals(marker, runMarker)) {
          throw new ForgedRunException(run, "it is not encrypted, or with another key", null);
        }
        FrameCipher again = idle.take(id, salt);
        return again == null ? decrypting(derive(id, salt)) : again;
      }

      @Override
      void readToTheEnd(byte[] salt, FrameCipher cipher) {
        idle.give(id, salt, cipher);
      }
    };
  }

  /** Ciphers that wait for another run. */
  int idleCiphers() {
    return idle.count();
  }

  private RawKey derive(OutputId id, byte[] salt) {
    byte[] names = info(OUTPUT, id.applicationId(), id.outputId());
    byte[] info = Arrays.copyOf(names, names.length + salt.length);
    System.arraycopy(salt, 0, info, names.length, salt.length);
    return new RawKey(Hkdf.expand(prk, info, keyBytes), "AES");
  }

  private void requireOwn(OutputId id) {
    if (!id.applicationId().equals(applicationId)) {
      throw new IllegalArgumentException("the key is that of " + applicationId + ", not of " + id);
    }
  }

  private static byte[] info(byte[] purpose, String... names) {
    int lengthBytes = purpose.length;
    byte[][] encoded = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      encoded[i] = names[i].getBytes(StandardCharsets.UTF_8);
      lengthBytes += Integer.BYTES + encoded[i].length;
    }
    ByteBuffer info = ByteBuffer.allocate(lengthBytes).put(purpose);
    for (byte[] name : encoded) {
      info.putInt(name.length).put(name);
    }
    return info.array();
  }

  /** What is done with its keys. */
  public CipherStats stats() {
    return stats;
  }

  @Override
  public void close() {
    prk.destroy();
    idle.close();
  }

  /** The cipher, for a log. */
  @Override
  public String toString() {
    return "AES-" + 8 * keyBytes + "-GCM";
  }
}
