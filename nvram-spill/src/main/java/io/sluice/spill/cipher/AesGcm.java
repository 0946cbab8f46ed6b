package io.sluice.spill.cipher;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;

/**
 * Which of the JVM's providers encrypts frames: the first, in the order that the JVM is configured
 * with, that can be used as {@link FrameCipher} uses it. A provider may insist on nonces of its
 * own, take no key but its own, or want more room than the bytes take; that is found out by a
 * trial, once for each JVM, and not by a task that fails in the middle of its output.
 *
 * <p>Thread contract: stateless. Failure: {@link IllegalStateException} that says why each provider
 * was not taken.
 */
final class AesGcm {
  private static final int[] KEY_BYTES = {16, 32};
  private static final int TRIAL_BYTES = 1000;

  private AesGcm() {}

  private static final class Chosen {
    static final Provider PROVIDER = choose(Security.getProviders());

    private Chosen() {}
  }

  /** The same in all of this JVM's life. */
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
        "no security provider of this JVM encrypts by "
            + FrameCipher.TRANSFORMATION
            + " with keys and nonces that it is given"
            + (reasons.isEmpty() ? "; none offers it" : reasons)
            + ". Add SunJCE to the providers of java.security, behind the others");
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

  /** Two frames, one behind the other, there and back; and one that was changed. */
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
