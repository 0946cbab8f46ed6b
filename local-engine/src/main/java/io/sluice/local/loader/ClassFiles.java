package io.sluice.local.loader;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Manifest;

/**
 * The class files that a class loader finds, as slots define them: each is looked for and read
 * once, and its calls that concern the process are replaced once, however many slots define a class
 * of it. Those of the client's class loader stay for its next job.
 *
 * <p>Thread contract: safe from any thread; two that ask for the same file may both read it.
 * Ownership: files stay in the heap until it is short, or until their class loader goes. A file of
 * a directory is read again if its length or time has changed; a jar that a class loader has opened
 * is taken to stay as it is. Failure: {@link IOException} of a file that cannot be read.
 */
final class ClassFiles {
  private static final Map<ClassLoader, ClassFiles> OF_LOADERS = new WeakHashMap<>();

  private final WeakReference<ClassLoader> loader; // weak, as it is a key there
  private final ClassFiles first; // null: the loader knows its order itself
  private final Map<String, SoftReference<ClassFile>> found = new ConcurrentHashMap<>();
  private final Map<String, Place> places = new ConcurrentHashMap<>(); // by their URLs

  private ClassFiles(ClassLoader loader, ClassFiles first) {
    this.loader = new WeakReference<>(loader);
    this.first = first;
  }

  /** Where class files come from; there is one for each jar or directory of a class loader. */
  static final class Place {
    private final URL url;
    private final Manifest manifest;

    private Place(URL url, Manifest manifest) {
      this.url = url;
      this.manifest = manifest;
    }

    /** Of the jar or directory, which programs ask for. */
    URL url() {
      return url;
    }

    /** That of the jar; null if there is none. */
    Manifest manifest() {
      return manifest;
    }
  }

  /**
   * A class as a slot defines it.
   *
   * @param bytes not to be changed
   * @param file null if it is in a jar
   */
  record ClassFile(byte[] bytes, Place place, File file, long lengthBytes, long modifiedMs) {
    private boolean isCurrent() {
      return file == null || (file.lastModified() == modifiedMs && file.length() == lengthBytes);
    }
  }

  /** Those that a class loader finds, which its owner must keep meanwhile. */
  static ClassFiles of(ClassLoader loader) {
    synchronized (OF_LOADERS) {
      ClassFiles known = OF_LOADERS.get(loader);
      if (known == null) {
        // Others than Java's own may look into their own jars first.
        boolean asksParent =
            loader.getClass() == URLClassLoader.class && loader.getParent() != null;
        known = new ClassFiles(loader, asksParent ? of(loader.getParent()) : null);
        OF_LOADERS.put(loader, known);
      }
      return known;
    }
  }

  /** That of a class, or null if there is none. */
  ClassFile find(String className) throws IOException {
    SoftReference<ClassFile> kept = found.get(className);
    ClassFile file = kept == null ? null : kept.get();
    if (file == null || !file.isCurrent()) {
      file = first == null ? null : first.find(className);
      if (file == null) {
        file = read(className);
      }
      if (file != null) {
        found.put(className, new SoftReference<>(file));
      }
    }
    return file;
  }

  private ClassFile read(String className) throws IOException {
    ClassLoader from = loader.get();
    String path = className.replace('.', '/') + ".class";
    URL url = first == null ? from.getResource(path) : ((URLClassLoader) from).findResource(path);
    if (url == null) {
      return null;
    }
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false); // or a job's jar would stay open when it is deleted
    File file = url.getProtocol().equals("file") ? file(url) : null;
    long lengthBytes = file == null ? 0 : file.length(); // before it is read
    long modifiedMs = file == null ? 0 : file.lastModified();
    try (InputStream in = connection.getInputStream()) {
      byte[] bytes = ProcessCalls.replaced(in.readAllBytes());
      Place place = place(url, connection, className);
      return new ClassFile(bytes, place, file, lengthBytes, modifiedMs);
    }
  }

  private static File file(URL url) throws IOException {
    try {
      return new File(url.toURI());
    } catch (URISyntaxException e) {
      throw new IOException(url + " is not escaped as a URL is", e);
    }
  }

  private Place place(URL url, URLConnection connection, String className) throws IOException {
    long packages = className.chars().filter(each -> each == '.').count();
    boolean isInJar = connection instanceof JarURLConnection;
    URL at =
        isInJar
            ? ((JarURLConnection) connection).getJarFileURL()
            : new URL(url, packages == 0 ? "." : "../".repeat((int) packages));
    Place known = places.get(at.toExternalForm());
    if (known == null) {
      Place read = new Place(at, isInJar ? ((JarURLConnection) connection).getManifest() : null);
      known = places.putIfAbsent(at.toExternalForm(), read);
      known = known == null ? read : known;
    }
    return known;
  }
}
