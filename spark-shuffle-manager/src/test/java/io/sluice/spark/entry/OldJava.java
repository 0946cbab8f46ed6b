package io.sluice.spark.entry;

import io.sluice.rdma.testing.ClassFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;

/**
 * Loads Sluice's classes, and those of its tests not, as Java 8 would: it has its own copy of each
 * that is Java 8 bytecode, and this JVM refuses each of the others, as too new.
 *
 * <p>While it is open it is the context loader of the thread that made it, by which Spark loads
 * what its settings name.
 */
public final class OldJava extends ClassLoader implements AutoCloseable {
  private static final int MAJOR_VERSION_AT = 6;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  /** Begins on this thread, and on those that it starts. */
  public OldJava() {
    super(OldJava.class.getClassLoader());
    Thread.currentThread().setContextClassLoader(this);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    URL file = getResource(name.replace('.', '/') + ".class");
    if (!name.startsWith("io.sluice.spark.")
        || file == null
        || file.getPath().contains("test-classes")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name, file) : loaded;
    }
  }

  private Class<?> define(String name, URL file) throws ClassNotFoundException {
    try (InputStream in = file.openStream()) {
      byte[] bytes = in.readAllBytes();
      if (bytes[MAJOR_VERSION_AT + 1] > ClassFiles.JAVA_8) {
        bytes[MAJOR_VERSION_AT] = Byte.MAX_VALUE; // of no Java for long
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(before);
  }
}
