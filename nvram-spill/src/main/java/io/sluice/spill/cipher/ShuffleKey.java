package io.sluice.spill.cipher;

import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.FrameCipher.AesGcm;
import io.sluice.spill.cipher.FrameCipher.IdleCiphers;
import io.sluice.spill.format.OutputId;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Mac;

/**
 * The source of all keys of a job's shuffle. Every task of the job derives the same keys from the
 * same secret, and nobody else can.
 *
 * <pre>
 *   PRK        = HKDF-Extract("sluice shuffle 1", secret)
 *   output key = HKDF-Expand(PRK, "output", length and bytes of application and output id, salt)
 *   marker     = HKDF-Expand(PRK, "marker", length and bytes of the application)
 * </pre>
 *
 * <p>Nonces are counted ({@link RunLayout}), not drawn. Only the salt is drawn; it tells apart the
 * writers of one output.
 *
 * <p>Thread contract: safe from any thread. Ownership: the task's collector or shuffle closes it,
 * which makes it zero; keys derived from it stay valid. Failure: {@link IllegalStateException} when
 * it is used after that, and at once in a JVM that cannot encrypt.
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
   * @param keyBits that the job asks for: up to 128 give AES-128, more give AES-256
   */
  public ShuffleKey(byte[] secret, String applicationId, int keyBits) {
    AesGcm.provider(); // before a task has done anything that would be lost
    this.prk = Hkdf.extract(PURPOSE, secret);
    this.applicationId = applicationId;
    this.keyBytes = keyBits > 8 * SHORT_KEY_BYTES ? LONG_KEY_BYTES : SHORT_KEY_BYTES;
    this.marker = Hkdf.expand(prk, info(MARKER, applicationId), RunLayout.MARKER_BYTES);
  }

  /** A key for a new writer of an output. */
  public OutputKey newOutput(OutputId id, int partitions) {
    requireOwn(id);
    byte[] salt = salt();
    return new OutputKey(marker, salt, derive(id, salt), partitions, stats);
  }

  /** A key for runs of one partition that only this process reads. */
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

  /** A key for reading the runs of an output, of all its writers. */
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

  /** Counts of the work with its keys. */
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

  /**
   * Counts encrypted and decrypted bytes, and the time they took.
   *
   * <p>Thread contract: safe from any thread.
   */
  public static final class CipherStats {
    private final LongAdder encryptedBytes = new LongAdder();
    private final LongAdder decryptedBytes = new LongAdder();
    private final LongAdder ns = new LongAdder();

    void encrypted(int bytes, long tookNs) {
      encryptedBytes.add(bytes);
      ns.add(tookNs);
    }

    void decrypted(int bytes, long tookNs) {
      decryptedBytes.add(bytes);
      ns.add(tookNs);
    }

    /** Bytes of records before encryption, after compression if any. */
    public long encryptedBytes() {
      return encryptedBytes.sum();
    }

    /** Bytes of records after decryption, still compressed if they are. */
    public long decryptedBytes() {
      return decryptedBytes.sum();
    }

    /** Time of encryption and decryption, of all threads. */
    public long ms() {
      return TimeUnit.NANOSECONDS.toMillis(ns.sum());
    }
  }

  /**
   * Derives keys from a secret: HKDF with HMAC-SHA-256 of RFC 5869, which JDK 17 lacks.
   *
   * <p>Thread contract: stateless. Failure: {@link IllegalStateException} in a JVM without
   * HMAC-SHA-256, which every JVM must have.
   */
  static final class Hkdf {
    private static final String HMAC = "HmacSHA256";
    private static final int HASH_BYTES = 32;
    private static final int MAX_BLOCKS = 255;

    private Hkdf() {}

    /** Derives a key of {@value #HASH_BYTES} bytes from a secret of any length (section 2.2). */
    static RawKey extract(byte[] salt, byte[] secret) {
      // An HMAC's key is filled up with zeros: an empty one is the same as one of zeros.
      byte[] key = salt.length == 0 ? new byte[HASH_BYTES] : salt;
      Mac hmac = hmac(new RawKey(key.clone(), HMAC));
      return new RawKey(hmac.doFinal(secret), HMAC);
    }

    /** Derives bytes for one purpose, which {@code info} names (section 2.3). */
    static byte[] expand(RawKey key, byte[] info, int lengthBytes) {
      if (lengthBytes > MAX_BLOCKS * HASH_BYTES) {
        throw new IllegalArgumentException("HKDF does not give " + lengthBytes + " bytes");
      }
      Mac hmac = hmac(key);
      byte[] expanded = new byte[lengthBytes];
      byte[] block = new byte[0];
      for (int at = 0, number = 1; at < lengthBytes; at += block.length, number++) {
        hmac.update(block);
        hmac.update(info);
        hmac.update((byte) number);
        Arrays.fill(block, (byte) 0);
        block = hmac.doFinal();
        System.arraycopy(block, 0, expanded, at, Math.min(block.length, lengthBytes - at));
      }
      Arrays.fill(block, (byte) 0);
      return expanded;
    }

    private static Mac hmac(RawKey key) {
      try {
        Mac hmac = Mac.getInstance(HMAC);
        hmac.init(key);
        return hmac;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JVM has no usable " + HMAC, e);
      }
    }
  }
}
