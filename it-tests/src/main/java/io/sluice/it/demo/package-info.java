/** The jobs that show what Sluice does: TeraSort and WordCount, stock and through Sluice. */
package io.sluice.it.demo;
