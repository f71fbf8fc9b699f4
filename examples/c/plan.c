/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plans a graph file from C: plan GRAPH [OPTIONS], the schedule on the standard
 * output. OPTIONS is a JSON object: {"budget": "60%"}
 */

#include <reprise/reprise.h>

#include <stdio.h>
#include <stdlib.h>

/* The bytes of a file, to be freed; NULL where it cannot be read. */
static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t capacity = 0;
  *size = 0;
  if (!file)
    return NULL;
  do {
    if (*size == capacity) {
      char *larger = realloc(bytes, capacity = 2 * capacity + 4096);
      if (!larger)
        break;
      bytes = larger;
    }
    *size += fread(bytes + *size, 1, capacity - *size, file);
  } while (!feof(file) && !ferror(file));
  if (!feof(file)) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  size_t size = 0;
  char *graph = argc > 1 ? readFile(argv[1], &size) : NULL;
  if (!graph) {
    fprintf(stderr, "usage: plan GRAPH [OPTIONS]\n");
    return 2;
  }
  reprise_result *result = NULL;
  reprise_status status =
      reprise_plan(graph, size, argc > 2 ? argv[2] : NULL, &result);
  if (status == REPRISE_OK)
    fwrite(reprise_result_text(result), 1, reprise_result_size(result), stdout);
  else
    fprintf(stderr, "plan: %s\n", reprise_result_error(result));
  reprise_result_free(result);
  free(graph);
  return status;
}
