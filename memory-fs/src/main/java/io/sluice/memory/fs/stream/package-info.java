/** The streams that read and write files. */
package io.sluice.memory.fs.stream;
