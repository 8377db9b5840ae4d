//! The OpenAPI document: made from the same table as the routes, with the schemas of the types that are read and written.

use crate::access::Needs;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// One operation: how it is asked and what it answers.
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) needs: Needs,
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    answer: Value,
}

/// The schemas of what is read and what is written.
pub(crate) struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self { read: settings().into_generator(), written: settings().for_serialize().into_generator() }
    }

    fn all(mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        all.extend(self.written.take_definitions(true));
        all
    }
}

impl Operation {
    /// An operation that answers 200 with nothing said about it yet.
    pub(crate) fn new(
        method: &'static str,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        let parameters = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let parameters = parameters.map(|name| {
            let schema = match name {
                "agent" => json!({"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}),
                "ref" if path.contains("/memories/") => {
                    json!({"type": "string", "pattern": "^mem_[0-7][0-9a-hjkmnp-tv-z]{25}$"})
                }
                "ref" => {
                    json!({"type": "string", "pattern": "^(msg|ex|mem|blf|dig)_[0-7][0-9a-hjkmnp-tv-z]{25}$"})
                }
                _ => json!({"type": "string", "minLength": 1}),
            };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        });
        Self {
            method,
            path,
            needs: if path.contains("{agent}") { Needs::Agent } else { Needs::Operator },
            id,
            summary,
            parameters: parameters.collect(),
            body: None,
            answer: json!({"description": "done"}),
        }
    }

    pub(crate) fn needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    /// It is asked with a body of JSON.
    pub(crate) fn asks<T: JsonSchema>(mut self, schemas: &mut Schemas) -> Self {
        let schema = schemas.read.subschema_for::<T>();
        self.body = Some(json!({"required": true, "content": {"application/json": {"schema": schema}}}));
        self
    }

    /// It is asked with a body of another kind.
    pub(crate) fn takes(mut self, kind: &'static str) -> Self {
        self.body = Some(json!({"required": true, "content": {kind: {"schema": {"type": "string"}}}}));
        self
    }

    /// It is asked with parameters.
    pub(crate) fn with<T: JsonSchema>(mut self) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            let mut schema = schema.clone();
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            without_null(&mut schema);
            let required = required.iter().any(|one| one == name.as_str());
            self.parameters.push(json!({"name": name, "in": "query", "required": required,
                                        "description": description, "schema": schema}));
        }
        self
    }

    /// A repeated request with the same key is answered as the first.
    pub(crate) fn once(mut self) -> Self {
        self.parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Your own name for this request: sent again with the same body it is answered as the first \
                            time and changes nothing; with another body it is refused.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
        }));
        self
    }

    /// It answers with JSON.
    pub(crate) fn answers<T: JsonSchema>(mut self, schemas: &mut Schemas) -> Self {
        let schema = schemas.written.subschema_for::<T>();
        self.answer =
            json!({"description": "the answer", "content": {"application/json": {"schema": schema}}});
        self
    }

    /// It answers with something else.
    pub(crate) fn gives(mut self, kind: &'static str) -> Self {
        self.answer = json!({"description": "the answer", "content": {kind: {"schema": {"type": "string"}}}});
        self
    }

    fn document(&self) -> Value {
        let scope = match self.needs {
            Needs::Nothing => "none",
            Needs::Agent => "agent",
            Needs::Operator => "operator",
        };
        let mut operation = json!({
            "operationId": self.id, "summary": self.summary, "parameters": self.parameters, "x-cairn-scope": scope,
            "responses": {"200": self.answer, "default": {"$ref": "#/components/responses/Problem"}},
        });
        if let Some(body) = &self.body {
            operation["requestBody"] = body.clone();
        }
        if self.needs == Needs::Nothing {
            operation["security"] = json!([]);
        }
        operation
    }
}

/// A parameter that may be missing is not null when it is there.
fn without_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            *schema = only.clone();
        }
    }
}

/// The document of all operations.
pub(crate) fn assemble(operations: &[Operation], mut schemas: Schemas) -> Value {
    let problem = schemas.written.subschema_for::<cairn_wire::Problem>();
    let mut paths = Map::new();
    for operation in operations {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = operation.document();
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cairn", "version": "1",
            "description": "A memory for agents: every word kept, found again, and explained.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:7777"}],
        "security": [{"key": []}, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {
                "type": "http", "scheme": "bearer",
                "description": "A key that `cairn key add` printed. While there is none, a machine answers itself.",
            }},
            "responses": {"Problem": {
                "description": "what went wrong, and what to do",
                "content": {"application/problem+json": {"schema": problem}},
            }},
            "schemas": schemas.all(),
        },
    })
}

/// The OpenAPI document as it is served and committed.
pub fn document() -> &'static str {
    crate::api::document()
}
