package io.sluice.spill.cipher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.cipher.FrameCipher.AesGcm;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Providers of security that come before the JDK's and do things their own way. */
class AesGcmTest {
  private static final Provider JDK = jdk();

  private static Provider jdk() {
    try {
      return Cipher.getInstance(FrameCipher.TRANSFORMATION, "SunJCE").getProvider();
    } catch (NoSuchAlgorithmException | NoSuchProviderException | NoSuchPaddingException e) {
      throw new AssertionError(e);
    }
  }

  /** A provider whose AES-GCM is the JDK's, but for one thing. */
  private static Provider provider(Class<? extends CipherSpi> gcm) {
    Provider provider = new Provider("Odd", "1", "for a test") {};
    provider.put("Cipher.AES/GCM/NoPadding", gcm.getName());
    return provider;
  }

  /** The provider that is taken where {@code gcm} comes first. */
  private static Provider chosen(Class<? extends CipherSpi> gcm) {
    Provider odd = provider(gcm);
    Security.insertProviderAt(odd, 1);
    try {
      return AesGcm.choose(Security.getProviders());
    } finally {
      Security.removeProvider(odd.getName());
    }
  }

  @Test
  void theFirstThatWorksIsTaken() {
    assertEquals("Odd", chosen(Plain.class).getName());
    assertEquals(JDK, AesGcm.choose(JDK));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OwnNonces.class,
        OwnKeys.class,
        MuchRoom.class,
        ShortKeys.class,
        NoTag.class,
        Broken.class
      })
  void oneThatRefusesIsPassedOver(Class<? extends CipherSpi> gcm) {
    assertEquals(JDK, chosen(gcm));
  }

  @Test
  void noneThatWorks() {
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> AesGcm.choose(provider(OwnNonces.class)));
    for (String part : List.of("Odd: ", "no nonces but mine", "Add SunJCE")) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
    e = assertThrows(IllegalStateException.class, AesGcm::choose);
    assertTrue(e.getMessage().contains("none offers it"), e.getMessage());
  }

  /** They encrypt the same, and young as this JVM may be, in pieces. */
  @ParameterizedTest
  @ValueSource(classes = {KeepsBack.class, OtherBadTags.class})
  void oneOfOtherHabitsIsTaken(Class<? extends CipherSpi> gcm) throws Exception {
    Provider odd = chosen(gcm);
    assertEquals("Odd", odd.getName());
    RawKey key = new RawKey(new byte[16], "AES");
    byte[] plain = new byte[RunLayout.FULL_BYTES];
    Arrays.fill(plain, (byte) 7);
    byte[] expected = new byte[plain.length + RunLayout.TAG_BYTES];
    apply(new FrameCipher(Cipher.ENCRYPT_MODE, key, JDK), plain, expected);
    byte[] actual = new byte[expected.length];
    apply(new FrameCipher(Cipher.ENCRYPT_MODE, key, odd), plain, actual);
    assertArrayEquals(expected, actual);

    FrameCipher decrypting = new FrameCipher(Cipher.DECRYPT_MODE, key, odd);
    byte[] back = new byte[plain.length];
    apply(decrypting, actual, back);
    assertArrayEquals(plain, back);
    actual[100] ^= 1;
    assertThrows(AEADBadTagException.class, () -> apply(decrypting, actual, back));
  }

  private static void apply(FrameCipher cipher, byte[] in, byte[] out) throws AEADBadTagException {
    int n =
        cipher.apply(RunLayout.nonce(1, 2, 3), ByteBuffer.allocate(44), in, 0, in.length, out, 0);
    assertEquals(out.length, n);
  }

  /** The JDK's. */
  public static class Plain extends CipherSpi {
    final Cipher jdk;

    /** Made by the JDK. */
    public Plain() throws NoSuchAlgorithmException, NoSuchPaddingException {
      jdk = Cipher.getInstance(FrameCipher.TRANSFORMATION, JDK);
    }

    @Override
    protected void engineSetMode(String mode) {}

    @Override
    protected void engineSetPadding(String padding) {}

    @Override
    protected int engineGetBlockSize() {
      return jdk.getBlockSize();
    }

    @Override
    protected int engineGetOutputSize(int inputLen) {
      return jdk.getOutputSize(inputLen);
    }

    @Override
    protected byte[] engineGetIV() {
      return jdk.getIV();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
      return jdk.getParameters();
    }

    @Override
    protected void engineInit(int mode, Key key, SecureRandom random) throws InvalidKeyException {
      jdk.init(mode, key, random);
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      jdk.init(mode, key, spec, random);
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameters spec, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      jdk.init(mode, key, spec, random);
    }

    @Override
    protected void engineUpdateAAD(ByteBuffer aad) {
      jdk.updateAAD(aad);
    }

    @Override
    protected byte[] engineUpdate(byte[] in, int offset, int length) {
      return jdk.update(in, offset, length);
    }

    @Override
    protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException {
      return jdk.update(in, offset, length, out, outOffset);
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int offset, int length)
        throws IllegalBlockSizeException, BadPaddingException {
      return jdk.doFinal(in, offset, length);
    }

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
      return jdk.doFinal(in, offset, length, out, outOffset);
    }
  }

  /** As a FIPS module may be: it draws its nonces. */
  public static final class OwnNonces extends Plain {
    /** Made by the JDK. */
    public OwnNonces() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      if (mode == Cipher.ENCRYPT_MODE) {
        throw new InvalidAlgorithmParameterException("no nonces but mine");
      }
      super.engineInit(mode, key, spec, random);
    }
  }

  /** As a hardware module: its keys never leave it. */
  public static final class OwnKeys extends Plain {
    /** Made by the JDK. */
    public OwnKeys() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
        throws InvalidKeyException {
      throw new InvalidKeyException("not a key of mine");
    }
  }

  /** Asks for a block more than it fills. */
  public static final class MuchRoom extends Plain {
    /** Made by the JDK. */
    public MuchRoom() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
      if (out.length - outOffset < length + 32) {
        throw new ShortBufferException("a block more");
      }
      return super.engineDoFinal(in, offset, length, out, outOffset);
    }
  }

  /** Has no AES of 256 bits. */
  public static final class ShortKeys extends Plain {
    /** Made by the JDK. */
    public ShortKeys() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      if (key.getEncoded().length > 16) {
        throw new InvalidKeyException("too long");
      }
      super.engineInit(mode, key, spec, random);
    }
  }

  /** Does not look at the tag. */
  public static final class NoTag extends Plain {
    /** Made by the JDK. */
    public NoTag() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
      try {
        return super.engineDoFinal(in, offset, length, out, outOffset);
      } catch (AEADBadTagException e) {
        return length - RunLayout.TAG_BYTES;
      }
    }
  }

  /** Throws what it need not declare. */
  public static final class Broken extends Plain {
    /** Made by the JDK. */
    public Broken() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected void engineUpdateAAD(ByteBuffer aad) {
      throw new UnsupportedOperationException("no AAD");
    }
  }

  /** As Bouncy Castle: what was updated may come later. */
  public static final class KeepsBack extends Plain {
    private byte[] kept = {};

    /** Made by the JDK. */
    public KeepsBack() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException {
      byte[] before = kept;
      int now = length - 16;
      kept = Arrays.copyOfRange(in, offset + now, offset + length);
      return super.engineUpdate(before, 0, before.length, out, outOffset)
          + super.engineUpdate(in, offset, now, out, outOffset + before.length);
    }

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
      byte[] before = kept;
      kept = new byte[0];
      int n = super.engineUpdate(before, 0, before.length, out, outOffset);
      return n + super.engineDoFinal(in, offset, length, out, outOffset + n);
    }
  }

  /** Throws for a bad tag what it throws for bad padding. */
  public static final class OtherBadTags extends Plain {
    /** Made by the JDK. */
    public OtherBadTags() throws NoSuchAlgorithmException, NoSuchPaddingException {}

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
        throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
      try {
        return super.engineDoFinal(in, offset, length, out, outOffset);
      } catch (AEADBadTagException e) {
        throw new BadPaddingException("mac check failed");
      }
    }
  }
}
