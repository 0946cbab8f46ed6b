import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a class from a {@link URLClassLoader}, which was the system's class loader until Java 8 and
 * which Hive 3.1 casts it to.
 */
final class Launcher {
  private Launcher() {}

  /** Arguments: the class path, the class, and its arguments. */
  public static void main(String[] arguments) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : arguments[0].split(":")) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    ClassLoader parent = ClassLoader.getSystemClassLoader();
    ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), parent);
    Thread.currentThread().setContextClassLoader(loader);
    loader
        .loadClass(arguments[1])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(arguments, 2, arguments.length));
  }
}
