package io.sluice.spill.cipher;

import io.sluice.spill.format.OutputId;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts or decrypts the frames of runs, one call for each. Input and output are different
 * arrays: the JDK would copy bytes that are decrypted in place.
 *
 * <p>A young JVM encrypts a frame in pieces. The JVM compiles GCM only after many calls, and whole
 * frames make few calls: each of the first thousand frames, 32 MB, would take thirty times as long.
 * With pieces a few frames make enough calls, and a task's first 32 MB take 0.2 s of the processor
 * instead of 0.6 ({@code CipherBenchmark}). Pieces do not help decryption: the JDK keeps them until
 * it has the tag.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory; the key is its owner's. Failure:
 * {@link IllegalStateException} if the provider cannot be used; {@link AesGcm} finds one that can.
 */
final class FrameCipher {
  static final String TRANSFORMATION = "AES/GCM/NoPadding";

  private static final int PIECE_BYTES = 128;
  private static final AtomicInteger FRAMES_IN_PIECES = new AtomicInteger(100);

  private final Cipher cipher;
  private final int mode;
  private final RawKey key;

  /** For {@link Cipher#ENCRYPT_MODE} or {@link Cipher#DECRYPT_MODE}. */
  FrameCipher(int mode, RawKey key, Provider provider) {
    this.mode = mode;
    this.key = key;
    try {
      this.cipher = Cipher.getInstance(TRANSFORMATION, provider);
    } catch (GeneralSecurityException e) {
      throw unusable(provider, e);
    }
  }

  /**
   * One frame.
   *
   * @param aad that is authenticated beside it
   * @return number of bytes in {@code out} from {@code outOffset} on
   * @throws AEADBadTagException if decrypted bytes are not those that were encrypted
   */
  int apply(
      byte[] nonce, ByteBuffer aad, byte[] in, int offset, int length, byte[] out, int outOffset)
      throws AEADBadTagException {
    try {
      cipher.init(mode, key, new GCMParameterSpec(8 * RunLayout.TAG_BYTES, nonce));
      cipher.updateAAD(aad);
      int inPieces = mode == Cipher.ENCRYPT_MODE ? inPieces(length) : 0;
      int made = 0;
      for (int done = 0; done < inPieces; done += PIECE_BYTES) {
        // The provider decides how many bytes it gives out now.
        made += cipher.update(in, offset + done, PIECE_BYTES, out, outOffset + made);
      }
      return made + cipher.doFinal(in, offset + inPieces, length - inPieces, out, outOffset + made);
    } catch (BadPaddingException e) { // some providers do not throw the exception for tags
      if (mode == Cipher.ENCRYPT_MODE) {
        throw unusable(cipher.getProvider(), e);
      }
      throw e instanceof AEADBadTagException badTag ? badTag : badTag(e);
    } catch (GeneralSecurityException e) {
      throw unusable(cipher.getProvider(), e);
    }
  }

  /** The key; after it is destroyed this cipher must not be used. */
  RawKey key() {
    return key;
  }

  /** Bytes of a frame that go in pieces: all but the last piece, while this JVM is young. */
  private static int inPieces(int length) {
    boolean young = FRAMES_IN_PIECES.get() > 0 && FRAMES_IN_PIECES.getAndDecrement() > 0;
    return young && length > 0 ? (length - 1) / PIECE_BYTES * PIECE_BYTES : 0;
  }

  private static AEADBadTagException badTag(BadPaddingException cause) {
    AEADBadTagException badTag = new AEADBadTagException(cause.getMessage());
    badTag.initCause(cause);
    return badTag;
  }

  private static IllegalStateException unusable(Provider provider, GeneralSecurityException cause) {
    return new IllegalStateException(
        TRANSFORMATION + " of " + provider.getName() + " does not work: " + cause, cause);
  }

  /**
   * Chooses the provider that encrypts frames: the first, in the order of the JVM's configuration,
   * that works in the way of {@link FrameCipher}. A provider may insist on its own nonces, accept
   * only its own keys, or want more room than the bytes take. A trial, once for each JVM, finds
   * that out before a task fails in the middle of its output.
   *
   * <p>Thread contract: stateless. Failure: {@link IllegalStateException} with the reason against
   * each provider.
   */
  static final class AesGcm {
    private static final int[] KEY_BYTES = {16, 32};
    private static final int TRIAL_BYTES = 1000;

    private AesGcm() {}

    private static final class Chosen {
      static final Provider PROVIDER = choose(Security.getProviders());

      private Chosen() {}
    }

    /** The provider; it never changes in a JVM. */
    static Provider provider() {
      return Chosen.PROVIDER;
    }

    static Provider choose(Provider... providers) {
      StringBuilder reasons = new StringBuilder();
      for (Provider provider : providers) {
        if (offers(provider)) {
          String reason = refusal(provider);
          if (reason == null) {
            return provider;
          }
          reasons.append("; ").append(provider.getName()).append(": ").append(reason);
        }
      }
      throw new IllegalStateException(
          String.format(
              "no security provider of this JVM encrypts by %s with keys and nonces that it"
                  + " is given%s. Add SunJCE to the providers of java.security, behind the others",
              FrameCipher.TRANSFORMATION, reasons.isEmpty() ? "; none offers it" : reasons));
    }

    private static boolean offers(Provider provider) {
      try {
        Cipher.getInstance(FrameCipher.TRANSFORMATION, provider);
        return true;
      } catch (GeneralSecurityException | SecurityException e) {
        return false;
      }
    }

    /** Why it cannot be used, or null. */
    private static String refusal(Provider provider) {
      try {
        for (int keyBytes : KEY_BYTES) {
          String reason = trial(provider, keyBytes);
          if (reason != null) {
            return reason;
          }
        }
        return null;
      } catch (GeneralSecurityException | RuntimeException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause.toString();
      }
    }

    /**
     * Encrypts and decrypts two frames in a row, and decrypts a changed one; null if all is right.
     */
    private static String trial(Provider provider, int keyBytes) throws AEADBadTagException {
      RawKey key = new RawKey(new byte[keyBytes], "AES");
      FrameCipher encrypting = new FrameCipher(Cipher.ENCRYPT_MODE, key, provider);
      FrameCipher decrypting = new FrameCipher(Cipher.DECRYPT_MODE, key, provider);
      ByteBuffer aad = ByteBuffer.allocate(RunLayout.AAD_BYTES);
      byte[] plain = new byte[TRIAL_BYTES];
      Arrays.fill(plain, (byte) 1);
      byte[] stored = new byte[TRIAL_BYTES + RunLayout.TAG_BYTES];
      byte[] back = new byte[TRIAL_BYTES];
      byte[] nonce = null;
      for (int frame = 0; frame < 2; frame++) {
        nonce = RunLayout.nonce(0, 0, frame);
        int n = encrypting.apply(nonce, aad.clear(), plain, 0, TRIAL_BYTES, stored, 0);
        if (n != stored.length) {
          return "it makes " + n + " bytes of " + TRIAL_BYTES;
        }
        Arrays.fill(back, (byte) 0);
        n = decrypting.apply(nonce, aad.clear(), stored, 0, stored.length, back, 0);
        if (n != TRIAL_BYTES || !Arrays.equals(plain, back)) {
          return "it does not decrypt what it has encrypted";
        }
      }
      stored[TRIAL_BYTES / 2] ^= 1;
      try {
        decrypting.apply(nonce, aad.clear(), stored, 0, stored.length, back, 0);
        return "it takes what was changed";
      } catch (AEADBadTagException e) {
        return null;
      }
    }
  }

  /**
   * Ciphers that have decrypted a run, for the next runs of the same writer. Deriving a key, making
   * a cipher and expanding the key takes several times as long as decrypting the few hundred bytes
   * of a run in a shuffle of many tasks. A reader of one partition of an output often reads another
   * later.
   *
   * <p>Thread contract: safe from any thread. Ownership: the {@link ShuffleKey} closes it, which
   * destroys their keys; a cipher belongs to the caller that took it.
   */
  static final class IdleCiphers implements Closeable {
    /** Most ciphers kept, of some 2 KB each: one for each output of a thousand map tasks. */
    static final int MOST = 1024;

    private final Map<Writer, FrameCipher> idle = new LinkedHashMap<>(); // that longest here first
    private boolean closed;

    /** One writer of an output. */
    private record Writer(OutputId id, ByteBuffer salt) {}

    /** Takes a cipher for this writer's runs, or null. */
    synchronized FrameCipher take(OutputId id, byte[] salt) {
      return idle.remove(new Writer(id, ByteBuffer.wrap(salt)));
    }

    /** Keeps a cipher whose run was read to its end. */
    synchronized void give(OutputId id, byte[] salt, FrameCipher cipher) {
      FrameCipher former =
          closed ? cipher : idle.put(new Writer(id, ByteBuffer.wrap(salt)), cipher);
      if (former != null) {
        former.key().destroy();
      }
      if (idle.size() > MOST) {
        var eldest = idle.entrySet().iterator();
        eldest.next().getValue().key().destroy();
        eldest.remove();
      }
    }

    synchronized int count() {
      return idle.size();
    }

    @Override
    public synchronized void close() {
      closed = true;
      idle.values().forEach(cipher -> cipher.key().destroy());
      idle.clear();
    }
  }
}
