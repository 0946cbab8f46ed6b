package io.sluice.spark.ui;

import scala.xml.Utility$;

/** Text as HTML has it. */
final class Html {
  private Html() {}

  /** The same text, with nothing in it that a browser would take for markup. */
  static String escape(String text) {
    return Utility$.MODULE$.escape(text);
  }
}
