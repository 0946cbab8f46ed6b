/** The variants side by side, repeated: figures with their spread. */
package io.sluice.it.bench;
