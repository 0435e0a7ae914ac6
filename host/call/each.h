/* SPDX-License-Identifier: MIT */
/* each.h - the preprocessor over the parameters of a row of operations.def, and what they are in C. */
#ifndef HOST_EACH_H
#define HOST_EACH_H

/* M(c, 0, first) M(c, 1, second) ... for 1 to 8 of them. */
#define HOST_EACH(M, c, ...)                              HOST_EACH_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(M, c, __VA_ARGS__)
#define HOST_EACH_PICK(a, b, d, e, f, g, h, i, many, ...) HOST_EACH_PASTE(HOST_EACH_, many)
#define HOST_EACH_PASTE(a, b)                             a##b
#define HOST_EACH_1(M, c, p)                              M(c, 0, p)
#define HOST_EACH_2(M, c, p, q)                           M(c, 0, p) M(c, 1, q)
#define HOST_EACH_3(M, c, p, q, r)                        M(c, 0, p) M(c, 1, q) M(c, 2, r)
#define HOST_EACH_4(M, c, p, q, r, s)                     M(c, 0, p) M(c, 1, q) M(c, 2, r) M(c, 3, s)
#define HOST_EACH_5(M, c, p, q, r, s, t)                  M(c, 0, p) M(c, 1, q) M(c, 2, r) M(c, 3, s) M(c, 4, t)
#define HOST_EACH_6(M, c, p, q, r, s, t, u)               M(c, 0, p) M(c, 1, q) M(c, 2, r) M(c, 3, s) M(c, 4, t) M(c, 5, u)
#define HOST_EACH_7(M, c, p, q, r, s, t, u, v)            M(c, 0, p) M(c, 1, q) M(c, 2, r) M(c, 3, s) M(c, 4, t) M(c, 5, u) M(c, 6, v)
#define HOST_EACH_8(M, c, p, q, r, s, t, u, v, w)         M(c, 0, p) M(c, 1, q) M(c, 2, r) M(c, 3, s) M(c, 4, t) M(c, 5, u) M(c, 6, v) M(c, 7, w)

/* A comma in front of every parameter but the first. */
#define HOST_COMMA_0
#define HOST_COMMA_1 ,
#define HOST_COMMA_2 ,
#define HOST_COMMA_3 ,
#define HOST_COMMA_4 ,
#define HOST_COMMA_5 ,
#define HOST_COMMA_6 ,
#define HOST_COMMA_7 ,

/* `type name`: a parameter as it is declared. */
#define HOST_DECLARE(c, i, p)                        HOST_COMMA_##i HOST_DECLARE_ONE p
#define HOST_DECLARE_MORE(c, i, p)                   , HOST_DECLARE_ONE p
#define HOST_DECLARE_ONE(kind, direction, name, ...) HOST_TYPE_##kind##_##direction(name, __VA_ARGS__)
#define HOST_TYPE_VALUE_IN(name, type)               type name
#define HOST_TYPE_VALUE_OUT(name, type)              type *name
#define HOST_TYPE_VALUE_INOUT(name, type)            type *name
#define HOST_TYPE_HANDLE_IN(name, of)                struct ptowsp_object *name
#define HOST_TYPE_HANDLE_LAST(name, of)              struct ptowsp_object *name
#define HOST_TYPE_HANDLE_OUT(name, of)               struct ptowsp_object **name
#define HOST_TYPE_CONTEXT_IN(name, of)               void *name
#define HOST_TYPE_STRING_IN(name, null)              const char *name
#define HOST_TYPE_TEXT_IN(name, length)              const char *name
#define HOST_TYPE_BYTES_IN(name, size)               const void *name
#define HOST_TYPE_MEMORY_IN(name, size)              void *name
#define HOST_TYPE_ADDRESS_IN(name, null)             const void *name
#define HOST_TYPE_ADDRESS_OUT(name, null)            const void **name
#define HOST_TYPE_ONE_IN(name, of)                   const struct ptowsp_##of *name
#define HOST_TYPE_ONE_OUT(name, of)                  struct ptowsp_##of *name
#define HOST_TYPE_ROWS_IN(name, of, count, stride)   const struct ptowsp_##of *name
#define HOST_TYPE_ROWS_OUT(name, of, count, stride)  struct ptowsp_##of *name
#define HOST_TYPE_LENT_OUT(name, of, count, stride)  const struct ptowsp_##of **name
#define HOST_TYPE_TABLES_OUT(name, of, count)        const struct ptowsp_##of **name
#define HOST_TYPE_VALUES_IN(name, type, count)       const type *name
#define HOST_TYPE_VALUES_OUT(name, type, count)      type *name
#define HOST_TYPE_FUNCTION_IN(name, callback, null)  host_fn_##callback *name

/* `, {.pointer = name}`: into a record. */
#define HOST_PACK(c, i, p)                        HOST_COMMA_##i HOST_PACK_ONE p
#define HOST_PACK_ONE(kind, direction, name, ...) HOST_PACK_##kind##_##direction(name)
#define HOST_PACK_VALUE_IN(name)                                                                                                                               \
	{                                                                                                                                                      \
		.number = (uint64_t)name                                                                                                                       \
	}
#define HOST_PACK_VALUE_OUT(name)                                                                                                                              \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_VALUE_INOUT(name)                                                                                                                            \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_HANDLE_IN(name)                                                                                                                              \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_HANDLE_LAST(name)                                                                                                                            \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_HANDLE_OUT(name)                                                                                                                             \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_CONTEXT_IN(name)                                                                                                                             \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_STRING_IN(name)                                                                                                                              \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_TEXT_IN(name)                                                                                                                                \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_BYTES_IN(name)                                                                                                                               \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_MEMORY_IN(name)                                                                                                                              \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_ADDRESS_IN(name)                                                                                                                             \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_ADDRESS_OUT(name)                                                                                                                            \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_ONE_IN(name)                                                                                                                                 \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_ONE_OUT(name)                                                                                                                                \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_ROWS_IN(name)                                                                                                                                \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_ROWS_OUT(name)                                                                                                                               \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_LENT_OUT(name)                                                                                                                               \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_TABLES_OUT(name)                                                                                                                             \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_VALUES_IN(name)                                                                                                                              \
	{                                                                                                                                                      \
		.data = name                                                                                                                                   \
	}
#define HOST_PACK_VALUES_OUT(name)                                                                                                                             \
	{                                                                                                                                                      \
		.pointer = name                                                                                                                                \
	}
#define HOST_PACK_FUNCTION_IN(name)                                                                                                                            \
	{                                                                                                                                                      \
		.function = (void (*)(void))name                                                                                                               \
	}

/* `values[i]` of a record as the parameter that it was; c: the values. */
#define HOST_UNPACK(c, i, p)                               HOST_COMMA_##i HOST_UNPACK_ONE(c, i, HOST_OPEN p)
#define HOST_OPEN(...)                                     __VA_ARGS__
#define HOST_UNPACK_ONE(...)                               HOST_UNPACK_KIND(__VA_ARGS__)
#define HOST_UNPACK_KIND(c, i, kind, direction, name, ...) HOST_UNPACK_##kind##_##direction(c[i], __VA_ARGS__)
#define HOST_UNPACK_VALUE_IN(value, type)                  (type) value.number
#define HOST_UNPACK_VALUE_OUT(value, ...)                  value.pointer
#define HOST_UNPACK_VALUE_INOUT(value, ...)                value.pointer
#define HOST_UNPACK_HANDLE_IN(value, ...)                  value.pointer
#define HOST_UNPACK_HANDLE_LAST(value, ...)                value.pointer
#define HOST_UNPACK_HANDLE_OUT(value, ...)                 value.pointer
#define HOST_UNPACK_CONTEXT_IN(value, ...)                 value.pointer
#define HOST_UNPACK_STRING_IN(value, ...)                  value.data
#define HOST_UNPACK_TEXT_IN(value, ...)                    value.data
#define HOST_UNPACK_BYTES_IN(value, ...)                   value.data
#define HOST_UNPACK_MEMORY_IN(value, ...)                  value.pointer
#define HOST_UNPACK_ADDRESS_IN(value, ...)                 value.data
#define HOST_UNPACK_ADDRESS_OUT(value, ...)                value.pointer
#define HOST_UNPACK_ONE_IN(value, ...)                     value.data
#define HOST_UNPACK_ONE_OUT(value, ...)                    value.pointer
#define HOST_UNPACK_ROWS_IN(value, ...)                    value.data
#define HOST_UNPACK_ROWS_OUT(value, ...)                   value.pointer
#define HOST_UNPACK_LENT_OUT(value, ...)                   value.pointer
#define HOST_UNPACK_TABLES_OUT(value, ...)                 value.pointer
#define HOST_UNPACK_VALUES_IN(value, ...)                  value.data
#define HOST_UNPACK_VALUES_OUT(value, ...)                 value.pointer
#define HOST_UNPACK_FUNCTION_IN(value, callback, null)     (host_fn_##callback *)value.function

/* Result of a function: its type, the parameter behind the others, how it is taken from and put into a record. */
#define HOST_RESULT_STATUS  ptowsp_status
#define HOST_RESULT_ANSWER  ptowsp_status
#define HOST_RESULT_TABLE   const void *
#define HOST_RESULT_MEMORY  void *
#define HOST_RESULT_NUMBER  uint64_t
#define HOST_RESULT_NOTHING void
#define HOST_ERROR_STATUS   , struct ptowsp_error *error
#define HOST_ERROR_ANSWER
#define HOST_ERROR_TABLE
#define HOST_ERROR_MEMORY
#define HOST_ERROR_NUMBER
#define HOST_ERROR_NOTHING
#define HOST_ERROR_PACK_STATUS , .error = error
#define HOST_ERROR_PACK_ANSWER
#define HOST_ERROR_PACK_TABLE
#define HOST_ERROR_PACK_MEMORY
#define HOST_ERROR_PACK_NUMBER
#define HOST_ERROR_PACK_NOTHING
#define HOST_ERROR_UNPACK_STATUS(call) , (call)->error
#define HOST_ERROR_UNPACK_ANSWER(call)
#define HOST_ERROR_UNPACK_TABLE(call)
#define HOST_ERROR_UNPACK_MEMORY(call)
#define HOST_ERROR_UNPACK_NUMBER(call)
#define HOST_ERROR_UNPACK_NOTHING(call)
#define HOST_RETURN_STATUS(call)  return (call)->status
#define HOST_RETURN_ANSWER(call)  return (call)->status
#define HOST_RETURN_TABLE(call)   return (call)->answer.data
#define HOST_RETURN_MEMORY(call)  return (call)->answer.pointer
#define HOST_RETURN_NUMBER(call)  return (call)->answer.number
#define HOST_RETURN_NOTHING(call) return
#define HOST_KEEP_STATUS(call)    (call)->status =
#define HOST_KEEP_ANSWER(call)    (call)->status =
#define HOST_KEEP_TABLE(call)     (call)->answer.data =
#define HOST_KEEP_MEMORY(call)    (call)->answer.pointer =
#define HOST_KEEP_NUMBER(call)    (call)->answer.number =
#define HOST_KEEP_NOTHING(call)

#endif
