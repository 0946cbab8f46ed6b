package io.sluice.rdma.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A self-signed certificate in a key store, made by the JDK's {@code keytool}. */
public final class TestCertificate {
  private static final String PASSWORD = "of the test";
  private static final long DEADLINE_S = 120;

  private final Path store;

  private TestCertificate(Path store) {
    this.store = store;
  }

  /**
   * Makes one in {@code directory}.
   *
   * @param names as {@code keytool} takes them, {@code ip:127.0.0.1} for one
   */
  public static TestCertificate create(Path directory, String names)
      throws IOException, InterruptedException {
    Path store = Files.createTempDirectory(directory, "certificate").resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "node",
                "-dname",
                "CN=node",
                "-ext",
                "SAN=" + names,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(store.resolveSibling("log").toFile())
            .start();
    try {
      assertTrue(keytool.waitFor(DEADLINE_S, TimeUnit.SECONDS), "keytool has not ended");
    } finally {
      keytool.destroyForcibly();
    }
    assertEquals(
        0,
        keytool.exitValue(),
        Files.readString(store.resolveSibling("log"), StandardCharsets.UTF_8));
    return new TestCertificate(store);
  }

  /** For who shows it. */
  public SSLContext context() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  /** The store, of the type PKCS12, which serves as a trust store as well. */
  public Path store() {
    return store;
  }

  /** Of the store and of the key. */
  public String password() {
    return PASSWORD;
  }
}
